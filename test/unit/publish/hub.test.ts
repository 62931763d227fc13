import { expect, test } from 'vitest'
import { readHub } from '../../../shared/read/hub.ts'
import { nothingLearned, type Reading } from '../../../shared/read/reading.ts'
import { readGroup, readRelationshipRows } from '../../../shared/read/relationship-rows.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { request } from '../valid-request.ts'

const type = { type: 'KNOWS', direction: 'both' as const }
const isSecondLook = (query: string) => query.includes('RETURN id(r), id(s), id(e)')
const far = [9n, ['Person'], [null, 'far']]

/** Reads from an origin with these rows, two relationships at once. */
const readingOf = (answer: Parameters<typeof answeringOrigin>[0]): Reading => ({
  ...nothingLearned(),
  origin: answeringOrigin(answer),
  sizes: { probe: 10, group: 2, chunk: 10 },
  plan: planOf(parsePublishRequest(request({ relationships: ['KNOWS'], relationshipIdField: 'own' })).request),
})

test('parallel relationships of one own id are read in one run of groups, although other own ids are NaN', async () => {
  const own = [3.5, Number.NaN, 1.5, Number.NaN, 3.5, Number.NaN, 1.5, 2.5, Number.NaN, 3.5, 1.5, 2.5]
  const reading = readingOf((query, { ids }) => {
    const all = [...own.keys()].map(BigInt)
    if (query.endsWith('RETURN id(r), id(m)')) return all.map((id) => [id, 9n])
    const asked = all.filter((id) => (ids as number[]).includes(Number(id)))
    if (query.endsWith('r.`own`')) return asked.map((id) => [id, own[Number(id)]])
    return asked.map((id) => [id, 1n, ...far, { own: own[Number(id)] }, 1n])
  })
  const runs: unknown[][] = [[]]
  for await (const { found, isOpen } of readHub(reading, 1, type)) {
    runs.at(-1)?.push(...found.elements.map(({ properties }) => properties.value('own')))
    if (!isOpen) runs.push([])
  }
  expect(runs.flat().sort()).toEqual(own.toSorted())
  for (const id of new Set(own)) expect(runs.filter((run) => run.includes(id))).toHaveLength(1)
})

test.each([null, -1n, 5n])(
  'a relationship whose start is %s was deleted while its row was read, and is left out',
  async (start) => {
    const gone = [7n, 1n, ...far, {}, start]
    const alsoGone = [6n, 1n, 9n, null, null, null, start]
    const rows = [gone, alsoGone, [8n, 1n, ...far, { own: 'x' }, 9n]]
    const reading = readingOf((query) => (isSecondLook(query) ? [] : rows))
    const found = await readRelationshipRows(reading, type, { match: '', parameters: {} })
    expect(found?.elements).toMatchObject([{ relationship: 8, node: 1, isOutgoing: false, far: { node: 9 } }])
  },
)

const loop = (id: bigint) => [id, 1n, 1n, ['Person'], [null, 'near'], { own: 'x' }, 1n]

test('a self-loop that the origin returns twice is read once, as Neo4j 4.3 does', async () => {
  const reading = readingOf(() => [loop(7n), loop(7n), loop(8n)])
  const found = await readRelationshipRows(reading, type, { match: '', parameters: {} })
  expect(found?.elements.map(({ relationship }) => relationship)).toEqual([7, 8])
})

test('a group that was cut off is not complete, although a row of it was left out', async () => {
  const cutOff = [loop(7n), loop(7n), loop(8n)]
  const gone = [5n, 1n, ...far, {}, null]
  for (const rows of [cutOff, [gone, loop(7n), loop(8n)]]) {
    const reading = readingOf((query) => (isSecondLook(query) ? [] : rows))
    expect(await readGroup(reading, type, '', {})).toBeNull()
  }
})
