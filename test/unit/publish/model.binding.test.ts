import { describe, expect, test } from 'vitest'
import { type BoundModel, createBinding, type ModelledProperty } from '../../../shared/request/bound-model.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { dataTypeOf, fits, typeOf, type ValueType } from '../../../shared/request/model/data-types.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'

const version = 'grn:gg:managerversion:1'
const unique = (key: string, flags: Partial<ModelledProperty> = {}): ModelledProperty => ({
  key,
  unique: true,
  ...flags,
})
const plain = (key: string): ModelledProperty => ({ key })

/** A model of node types with these properties. */
const modelOf = (types: Record<string, ModelledProperty[]>): BoundModel => ({
  version,
  types: Object.entries(types).map(([label, properties]) => ({ label, properties })),
  properties: [...new Set(Object.values(types).flatMap((properties) => properties.map(({ key }) => key)))],
})

const film = modelOf({ Person: [unique('name'), plain('born')], Movie: [unique('title'), plain('tagline')] })
const asked = (fields: Partial<PublishRequest>): PublishRequest => ({
  dbUrl: 'bolt://db',
  credentials: '',
  model: 'm',
  ...fields,
})
const boundBy = (model: BoundModel, fields: Partial<PublishRequest>) =>
  createBinding(model).bound(asked(fields)).mappedIndices
const issuesOf = (model: BoundModel, fields: Partial<PublishRequest>) =>
  [...createBinding(model).issues(asked(fields))].map(({ path, message }) => `${path}: ${message}`)

describe('mappedIndices follow from the unique implementations of the model', () => {
  test('mappedIndices follow from the unique implementations of every node type, and the index is the default', () => {
    const all = { Person: 'name', Movie: 'title', DEFAULT_INDEX: 'Movie', DEFAULT_ID_FIELD: 'title' }
    expect(boundBy(film, { index: 'Movie' })).toEqual(all)
    expect(issuesOf(film, { index: 'Movie' })).toEqual([])
  })

  test('the only node type of a model is the default of mappedIndices', () => {
    const only = modelOf({ Person: [unique('name')] })
    expect(boundBy(only, {})).toEqual({ Person: 'name', DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'name' })
    expect(issuesOf(only, {})).toEqual([])
  })

  test('of several unique properties the required one identifies the nodes', () => {
    const two = { Person: [unique('name'), unique('email', { required: true }), plain('id')] }
    expect(boundBy(modelOf(two), {})?.Person).toBe('email')
    const both = { Person: [unique('name', { required: true }), unique('email', { required: true })] }
    expect(boundBy(modelOf(both), {})).toEqual({ DEFAULT_INDEX: 'Person' })
  })

  test('an index or mappedIndices that the model leaves open is refused, and the error says what to give', () => {
    expect(issuesOf(film, {})).toEqual([
      `index: the model version ${version} has 2 node types: give index, or mappedIndices`,
    ])
    expect(issuesOf(modelOf({ Person: [plain('name')] }), {})).toEqual([
      `mappedIndices: the node type "Person" of the model version ${version} has not one unique property: give mappedIndices`,
    ])
    const given = { mappedIndices: { Person: 'name' } }
    expect(issuesOf(modelOf({ Person: [plain('name')] }), given)).toEqual([])
    expect(boundBy(modelOf({ Person: [plain('name')] }), given)?.DEFAULT_ID_FIELD).toBe('name')
  })

  test('labels and keys that no statement can name are left out, as is a label named like a default', () => {
    const odd = modelOf({ Person: [unique('na\\me')], DEFAULT_INDEX: [unique('id')], Movie: [unique('title')] })
    expect(boundBy(odd, { index: 'Movie' })).toEqual({
      Movie: 'title',
      DEFAULT_INDEX: 'Movie',
      DEFAULT_ID_FIELD: 'title',
    })
  })

  test('equal requests share the mappedIndices of a model', () => {
    const { bound } = createBinding(film)
    const [one, other] = [bound(asked({ index: 'Movie' })), bound(asked({ index: 'Movie', originIds: ['a'] }))]
    expect(one.mappedIndices).toBe(other.mappedIndices)
  })
})

describe('what a request names must be in the model', () => {
  test('an id property must be one of the unique ones of the model, or any if there is none', () => {
    expect(issuesOf(film, { index: 'Movie', mappedIndices: { Person: 'born' } })).toEqual([
      `mappedIndices.Person: must not be "born": the node type "Person" of the model version ${version} is identified by "name"`,
    ])
    expect(issuesOf(film, { mappedIndices: { DEFAULT_INDEX: 'Movie', DEFAULT_ID_FIELD: 'tagline' } })).toEqual([
      `mappedIndices.DEFAULT_ID_FIELD: must not be "tagline": the node type "Movie" of the model version ${version} is identified by "title"`,
    ])
    expect(issuesOf(modelOf({ Person: [] }), { mappedIndices: { Person: 'name' } })).toEqual([
      `mappedIndices.Person: must not be "name": the node type "Person" of the model version ${version} has no property`,
    ])
    expect(issuesOf(film, { index: 'Movie', mappedIndices: { Company: 'name' } })).toEqual([])
  })

  test.each([
    [{ index: 'Movies' }, `index: "Movies" is no node type of the model version ${version}, did you mean \`Movie\`?`],
    [{ index: 'Movie', targetFilter: 'X' }, `targetFilter: "X" is no node type of the model version ${version}`],
    [
      { index: 'Movie', dynamicLabels: { Persn: ['A'] } },
      `dynamicLabels.Persn: "Persn" is no node type of the model version ${version}, did you mean \`Person\`?`,
    ],
    [
      { index: 'Movie', deleteProperties: ['titel'] },
      `deleteProperties: "titel" is no property of the model version ${version}, did you mean \`title\`?`,
    ],
    [
      { index: 'Movie', protectedNodeProperties: ['secret'] },
      `protectedNodeProperties: "secret" is no property of the model version ${version}`,
    ],
    [
      { mappedIndices: { DEFAULT_INDEX: 'Film', DEFAULT_ID_FIELD: 'title' } },
      `mappedIndices.DEFAULT_INDEX: "Film" is no node type of the model version ${version}`,
    ],
  ])('a request must not name what the model lacks: %j', (fields, issue) => {
    expect(issuesOf(film, fields)).toEqual([issue])
  })
})

describe('data types', () => {
  test.each([
    ['String', 'String'],
    [' sTRING ', 'String'],
    ['long', 'Integer'],
    ['Int', 'Integer'],
    ['double', 'Float'],
    ['NUMBER', 'Number'],
    ['localdatetime', 'LocalDateTime'],
    ['Point [ ]', 'Point[]'],
    ['String[][]', null],
    ['List<String>', null],
    ['constructor', null],
    ['', null],
  ])('the data type %j is %j', (text, type) => {
    expect(dataTypeOf(text)).toBe(type)
  })

  test.each<[ValueType, unknown]>([
    ['String', 'a'],
    ['Integer', 5n],
    ['Float', 5],
    ['Float', Number.NaN],
    ['Boolean', false],
    ['Integer[]', [5n, 6n]],
    ['[]', []],
    ['other', new Int8Array([1])],
  ])('the data type %s is the type of a value', (type, value) => {
    expect(typeOf(propertiesOf({ value }).kindOf('value'))).toBe(type)
  })

  test('a number is an integer or a float, a list also the empty one; nothing else is converted', () => {
    expect(fits('Integer', 'Number') && fits('Float', 'Number') && fits('Float[]', 'Number[]')).toBe(true)
    expect(fits('[]', 'Point[]') && fits('String', 'String')).toBe(true)
    expect(
      fits('[]', 'String') || fits('Integer', 'Float') || fits('Integer[]', 'Number') || fits('other', 'Number'),
    ).toBe(false)
    expect(fits('Date', 'DateTime') || fits('LocalDateTime', 'DateTime') || fits('Integer', 'Number[]')).toBe(false)
  })
})
