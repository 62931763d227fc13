import { expect, test } from 'vitest'
import { nothingLearned, type Reading } from '../../../shared/read/reading.ts'
import { readRelationshipRows } from '../../../shared/read/relationship-rows.ts'
import { identityOf } from '../../../shared/request/identity.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { request } from '../valid-request.ts'

const type = { type: 'KNOWS', direction: 'out' as const }

/** Reads far ends with these labels and values from an origin. @returns their identities, and the query. */
async function read(mapped: Record<string, string>, ends: [labels: string[] | null, values: unknown[] | null][]) {
  const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', ...mapped }
  const { request: parsed } = parsePublishRequest(request({ relationships: ['KNOWS>'], mappedIndices }))
  const plan = planOf({ ...parsed, onUnpublishable: 'skip' })
  const queries: string[] = []
  const origin = answeringOrigin((query) => {
    queries.push(query)
    return ends.map(([labels, values], at) => [BigInt(at), 100n, BigInt(at + 1), labels, values, {}, 100n])
  })
  const reading: Reading = { ...nothingLearned(), origin, plan, sizes: { probe: 100, group: 100, chunk: 10 } }
  const found = await readRelationshipRows(reading, type, { match: '', parameters: {} })
  const identities = found?.elements.map(({ far }) => {
    const identity = identityOf(plan.identity, far)
    return 'problem' in identity ? identity.problem : `${identity.label}.${identity.idProperty} = ${identity.id.json}`
  })
  return { identities, query: queries[0] }
}

const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`Type${index}`, `key${index}`]))

test('the query that reads the ends of relationships does not grow with the number of mapped labels', async () => {
  const [few, many] = await Promise.all([read({}, []), read(named(5_000), [])])
  expect(many.query).toBe(few.query)
  expect(few.query).toContain('mLabels, [m.`index`] + [label IN mLabels | m[$idProperties[label]]]')
  // Labels of a second look may be others than those that chose the values.
  expect(few.query?.match(/labels\(m\)/g)).toHaveLength(1)
})

test('each end is identified by the id property of its own label', async () => {
  const { identities } = await read({ ...named(3), Other: 'id', Index: 'index' }, [
    [['Person'], [null, 'p1']],
    [['Type1'], [null, 7n]],
    [
      ['Type1', 'None'],
      [null, 'x', null],
    ],
    [
      ['None', 'Type2'],
      [null, null, 'y'],
    ],
    // The id properties of two labels are the same one.
    [
      ['Other', 'Person'],
      ['Other', 'p2', 'p2'],
    ],
    [
      ['Other', 'Person'],
      [null, 'p3', 'p3'],
    ],
    // The id property is `index`, which the first value is already.
    [['Index'], ['i1', 'i1']],
    [
      ['Type0', 'Type1'],
      ['Type1', 'a', 'b'],
    ],
    [
      ['Type0', 'Type1'],
      [null, 'a', 'b'],
    ],
    [['None'], ['None', null]],
    [['Type0'], ['Type0', null]],
  ])
  const noLabel = 'bears no label, or several, that mappedIndices names'
  expect(identities).toEqual([
    'Person.id = "p1"',
    'Type1.key1 = 7',
    'Type1.key1 = "x"',
    'Type2.key2 = "y"',
    'Other.id = "p2"',
    'Person.id = "p3"',
    'Index.index = "i1"',
    'Type1.key1 = "b"',
    noLabel,
    noLabel,
    'has no property "key0", the id of "Type0"',
  ])
})
