import { expect, test } from 'vitest'
import type { Origin } from '../../../shared/origin/connect.ts'
import { readNames } from '../../../shared/read/names.ts'

/** An origin with so many labels, which tells its constraints or not. */
function originOf(labels: number, constraints: unknown[][] | null): Origin {
  const each: Origin['each'] = async (query, _parameters, take) => {
    const most = Number(/LIMIT (\d+)/.exec(query)?.[1])
    const count = query.includes('db.labels') ? Math.min(labels, most) : 0
    for (let at = 0; at < count; at++) take({ text: () => `L${String(at).padStart(5, '0')}` } as never)
  }
  return { legacy: false, each, ask: async () => constraints } as unknown as Origin
}

test('of more than a thousand labels the first are named, and the answer says that there are more', async () => {
  const [most, over] = [await readNames(originOf(1_000, [])), await readNames(originOf(1_001, []))]
  expect([most.labels.length, most.isCut, over.labels.length, over.isCut]).toEqual([1_000, false, 1_000, true])
  expect(over.labels.at(-1)).toBe('L00999')
})

test('an origin that answers more names, or longer ones, than it was asked for is refused', async () => {
  const answering = (names: string[]): Origin => ({
    ...originOf(0, []),
    async each(_query, _parameters, take) {
      for (const name of names) take({ text: () => name } as never)
    },
  })
  const refused = { code: 'originBroke', message: expect.stringContaining('more is named than was asked for') }
  await expect(readNames(answering(Array(1_002).fill('L')))).rejects.toMatchObject(refused)
  await expect(readNames(answering(['L'.repeat(2_001)]))).rejects.toMatchObject(refused)
  expect((await readNames(answering(['ok', 'back\\slash', 'L'.repeat(1_001)]))).labels).toEqual(['ok'])
})

test('more than a thousand unique properties are cut, and the answer says so', async () => {
  const rows = Array.from({ length: 1_001 }, (_, at) => ['UNIQUENESS', 'NODE', ['L00000'], [`p${at}`]])
  const { identities, isCut } = await readNames(originOf(1, rows))
  expect([identities?.length, isCut]).toEqual([1_000, true])
})

test('unique properties are sorted by label, each alone, and null if the origin does not say', async () => {
  const unique = (label: string, ...properties: string[]) => ['UNIQUENESS', 'NODE', [label], properties]
  const rows = [unique('L00001', 'b'), unique('L00000', 'c'), unique('L00001', 'a'), unique('L00000', 'd', 'e')]
  expect((await readNames(originOf(2, rows))).identities).toEqual([
    { label: 'L00000', property: 'c' },
    { label: 'L00001', property: 'a' },
    { label: 'L00001', property: 'b' },
  ])
  expect((await readNames(originOf(2, null))).identities).toBeNull()
})
