import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'

const { neo4j, legacy } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const [person, actor] = [uniqueName('Person'), uniqueName('Actor')]
const fields = { ...database(neo4j, person, 'id'), metadata: true, returnOnly: true }
const mapped = { DEFAULT_INDEX: person, DEFAULT_ID_FIELD: 'id', [actor]: 'stage' }
const onlyActors = { DEFAULT_INDEX: actor, DEFAULT_ID_FIELD: 'stage' }

beforeAll(async () => {
  await run(
    driver,
    `CREATE (:${person} {id: 'p'})-[:KNOWS]->(:${person}:${actor} {id: 'both', stage: 's'}),
      (:${actor} {id: 'a', stage: 't'}), (:${person}:${actor} {id: 'other', stage: 'u', \`index\`: '${actor}'})`,
  )
})

const multi = async (...requests: object[]) => {
  const { status, body } = await client.post(
    '/1.0/publish/multi',
    requests.map((request) => ({ ...fields, ...request })),
  )
  return { status, error: body.error }
}

describe('a node that two sub-requests identify differently is refused', () => {
  const error = `400 Bad Request: [1].mappedIndices: the "${person}" with "id" "both" is identified otherwise in [0]`
  const asActor = { mappedIndices: onlyActors, originIds: ['s'] }

  test('a node that two sub-requests identify differently is refused as a target of both', async () => {
    expect(await multi(asActor, { originIds: ['both'] })).toEqual({ status: 400, error })
  })

  test('two identities of a node are refused if it is a target in one sub-request, a far end in another', async () => {
    expect(await multi(asActor, { originIds: ['p'], relationships: ['KNOWS'] })).toEqual({ status: 400, error })
  })

  test('two sub-requests are accepted if they identify different nodes, or agree on a node', async () => {
    const fine = { status: 200, error: null }
    expect(await multi({ mappedIndices: onlyActors, originIds: ['t'] }, { originIds: ['both'] })).toEqual(fine)
    expect(await multi({ mappedIndices: mapped, originIds: ['both'] }, { originIds: ['both'] })).toEqual(fine)
  })
})

describe('a node that two sub-requests publish with different options is refused', () => {
  const asPerson = { mappedIndices: mapped, originIds: ['both'] }
  const asActor = { mappedIndices: mapped, index: actor, originIds: ['s'] }

  test.each([
    ['protectedNodeProperties', { protectedNodeProperties: ['secret'] }],
    ['deleteProperties', { deleteProperties: ['nick'] }],
    ['dynamicLabels', { dynamicLabels: { [person]: ['Retired'] } }],
  ])('a node that two sub-requests publish with different options is refused: %s', async (field, options) => {
    const error = `400 Bad Request: [1].${field}: must be the same as in [0], which publishes the "${person}" with "id" "both" too`
    expect(await multi(asPerson, { ...asActor, ...options })).toEqual({ status: 400, error })
  })

  test('different options for a node are accepted if only one of the two sub-requests publishes it', async () => {
    const protects = { ...asActor, protectedNodeProperties: ['secret'] }
    const fine = { status: 200, error: null }
    expect(await multi({ ...asPerson, metadata: false, relationships: ['KNOWS'] }, protects)).toEqual(fine)
    expect(await multi({ ...asPerson, originIds: ['p'] }, protects)).toEqual(fine)
  })
})

describe('an identity that two sub-requests find in two databases is refused', () => {
  const elsewhere = {
    ...database(legacy as typeof neo4j, person, 'id'),
    preventCleanup: false,
    relationships: ['KNOWS'],
  }
  const error = (id: string) =>
    `400 Bad Request: [1].dbUrl: must be the same as in [0], which publishes the "${person}" with "id" "${id}" too`
  const copy = openDriver(legacy as typeof neo4j)
  beforeAll(() => run(copy, `CREATE (:${person} {id: 'p'}), (:${person} {id: 'q'})`))
  afterAll(() => copy.close())

  test('an identity that two sub-requests find in two databases is refused when published from both', async () => {
    expect(await multi({ originIds: ['p'] }, { ...elsewhere, originIds: ['p'] })).toEqual({
      status: 400,
      error: error('p'),
    })
  })

  test('an identity in two databases is refused if one sub-request publishes it, another cleans it up', async () => {
    expect(await multi({ originIds: ['both'] }, { ...elsewhere, originIds: ['both', 'q'] })).toEqual({
      status: 400,
      error: error('both'),
    })
  })

  test('identities that two sub-requests find in two databases are accepted if their ids differ', async () => {
    expect(await multi({ originIds: ['p'] }, { ...elsewhere, originIds: ['q'] })).toEqual({ status: 200, error: null })
  })
})
