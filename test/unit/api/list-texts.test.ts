import { expect, test } from 'vitest'
import { listText } from '../../../api/manager/list-texts.ts'
import type { ModelPage } from '../../../shared/models/pages.ts'
import type { ModelRecord } from '../../../shared/models/records.ts'
import { property } from '../../../shared/models/resources.ts'

const mostBytes = 16 * 1024 * 1024
/** Twice the longest record: the key and `next` come on top of the texts. */
const slack = 30_000

/** A list of so many properties with definitions of this text; `held` and `most` are the bytes that it reserves. */
function listOf(count: number, definition: string) {
  const seen = { held: 0, most: 0, reads: [] as number[] }
  const keys = Array.from({ length: count }, (_, at) => `p${String(at).padStart(6, '0')}`)
  async function read({ limit, after }: ModelPage) {
    seen.reads.push(limit)
    const from = after === null ? 0 : keys.indexOf(after[0] as string) + 1
    return keys.slice(from, from + limit).map((key) => ({ key, definition }) as unknown as ModelRecord)
  }
  function reserve(bytes: number) {
    seen.held += bytes
    seen.most = Math.max(seen.most, seen.held)
    return () => {
      seen.held -= bytes
    }
  }
  const text = async (query: Parameters<typeof listText>[1]) =>
    (await listText({ read, of: property, reserve }, query)).join('')
  return { seen, keys, text }
}

interface Answer {
  properties: { key: string }[]
  next?: string
}
const long = 'x'.repeat(10_000)

test('a page ends early at the limit of bytes, and the pages add up to the whole list', async () => {
  const { keys, text } = listOf(4_000, long)
  const listed: string[] = []
  const lengths: number[] = []
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await text({ limit: 4_000, after })
    lengths.push(page.length)
    const { properties, next } = JSON.parse(page) as Answer
    listed.push(...properties.map(({ key }) => key))
    after = next
  }
  expect(listed).toEqual(keys)
  expect(lengths.length).toBe(3)
  for (const length of lengths) expect(length).toBeLessThan(mostBytes + slack)
  for (const length of lengths.slice(0, -1)) expect(length).toBeGreaterThan(mostBytes - slack)
})

test('a list without limit is refused if it has more bytes than one answer, as it is if it has more entries', async () => {
  const refused = { status: 400, code: 'listTooLong' }
  await expect(listOf(1_700, long).text({})).rejects.toMatchObject(refused)
  await expect(listOf(10_001, 'x').text({})).rejects.toMatchObject(refused)
  expect((JSON.parse(await listOf(1_600, long).text({})) as Answer).properties).toHaveLength(1_600)
  const whole = JSON.parse(await listOf(10_000, 'x').text({})) as Answer
  expect([whole.properties.length, whole.next]).toEqual([10_000, undefined])
})

test('the limit of a list counts bytes, not characters', async () => {
  await expect(listOf(1_000, 'é'.repeat(10_000)).text({})).rejects.toMatchObject({ code: 'listTooLong' })
})

test('a list reserves its text until it is sent, and each read after the first while it lasts', async () => {
  const { seen, text } = listOf(1_000, long)
  const whole = await text({})
  expect(seen.reads).toEqual([51, 501, 501])
  expect(seen.held).toBeGreaterThanOrEqual(2 * whole.length - 10)
  expect(seen.most).toBeGreaterThan(8 * 1024 * 1024)
  const few = listOf(50, 'x')
  await few.text({})
  expect(few.seen.most).toBeLessThan(10_000)
})

test.each([
  [0, { limit: 10 }, 0],
  [10, { limit: 10 }, 10],
  [50, {}, 50],
])('a list of %i entries, asked for with %j, has no next', async (count, query, listed) => {
  const { properties, next } = JSON.parse(await listOf(count, 'x').text(query)) as Answer
  expect([properties.length, next]).toEqual([listed, undefined])
})
