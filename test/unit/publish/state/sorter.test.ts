import { hash } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepDigests } from '../../../../shared/publish/state/known-digests.ts'
import { countElements, differences, type Group, hashOfLine } from '../../../../shared/publish/state/lines.ts'
import { createSorter } from '../../../../shared/publish/state/sorter.ts'
import { shuffled } from '../../../support/values/shuffle.ts'

const digestOf = (number: number) => hash('sha256', String(number), 'buffer').subarray(0, 16)

test.each([1, 300, 300_000])('%i digests and lines come back sorted, each once, also from a file', async (count) => {
  using sorter = createSorter()
  const numbers = shuffled([...Array(count).keys()], 7)
  for (const number of [...numbers, ...numbers.slice(0, 100)]) {
    sorter.addDigests(digestOf(number))
    sorter.addLines(Buffer.from(`["n","Person","id","p${number}"]\n`))
  }
  sorter.addLines(
    Buffer.from(
      '["r","Person","id","p0","KNOWS","Person","id","p0"]\n["n","Person","id","p0"]\ta["n","Other","id",1]\n',
    ),
  )
  const digests = Buffer.concat(Array.from(sorter.takeDigests(), (bytes) => Buffer.from(bytes)))
  expect(digests.length).toBe(16 * count)
  let isSorted = true
  for (let at = 16; at < digests.length; at += 16) isSorted &&= digests.compare(digests, at - 16, at, at, at + 16) > 0
  expect(isSorted).toBe(true)
  const lines = Buffer.concat(Array.from(sorter.takeLines(), (bytes) => Buffer.from(bytes)))
  expect(countElements(lines)).toEqual({ nodes: count, relationships: 1 })
  let last = -1
  let groups = 0
  for await (const [group] of differences([lines], [])) {
    const { hash: at, key, payloads } = group as Group
    expect(at >= last && at === hashOfLine(Buffer.from(key), 0)).toBe(true)
    if (key.endsWith('"p0"]') && key.startsWith('["n"'))
      expect(payloads.sort()).toEqual(['a["n","Other","id",1]', null])
    last = at
    groups++
  }
  expect(groups).toBe(count + 1)
})

test.each([0, 1, 255, 256, 257, 600_000])('of %i digests each is found, and no other', async (count) => {
  using sorter = createSorter()
  for (let number = 0; number < count; number++) sorter.addDigests(digestOf(number))
  async function* chunks() {
    for (const bytes of sorter.takeDigests()) yield Buffer.from(bytes)
  }
  const known = await keepDigests(chunks())
  const step = Math.max(1, Math.floor(count / 3_000))
  for (let number = 0; number < count; number += step) expect(known.has(digestOf(number))).toBe(true)
  for (let number = count; number < count + 1_000; number++) expect(known.has(digestOf(number))).toBe(false)
  known.close()
})

test('digests that begin alike are told apart', async () => {
  const alike = Array.from({ length: 700 }, (_, number) => {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32BE(number, 12)
    return bytes
  })
  async function* chunks() {
    yield Buffer.concat(alike.filter((_, number) => number % 2 === 0))
  }
  const known = await keepDigests(chunks())
  expect(alike.map((one) => known.has(one))).toEqual(alike.map((_, number) => number % 2 === 0))
})

test('without a directory that can be written, an error says so, and small states need none', () => {
  vi.stubEnv('TMPDIR', '/nowhere')
  // Other files run in this process.
  onTestFinished(() => void vi.unstubAllEnvs())
  using sorter = createSorter()
  const line = `["n","Person","id","${'x'.repeat(60_000)}`
  const add = (count: number) => {
    for (let number = 0; number < count; number++) sorter.addLines(Buffer.from(`${line}${number}"]\n`))
  }
  add(20)
  expect(() => add(1_000)).toThrow('its TMPDIR is full, or cannot be written')
})
