import { expect, test } from 'vitest'
import { survey } from '../../../client/replay/preflight/needs.ts'
import { createGate, withRetries } from '../../../client/replay/run/retry.ts'
import { createRecogniser } from '../../../packet/recognise.ts'
import { nodeUpsert, sourceOf } from '../../support/replay/replaying.ts'

test('no further part is read after an interruption, even if reading takes no notice of it', async () => {
  const interrupted = new AbortController()
  const source = sourceOf([nodeUpsert('P', 'a')], [nodeUpsert('P', 'b')], [nodeUpsert('P', 'c')])
  const read: string[] = []
  const parts = source.parts.map((part) => ({
    ...part,
    read(signal: AbortSignal) {
      read.push(part.name)
      if (read.length === 2) interrupted.abort()
      return part.read(signal)
    },
  }))
  const settings = { recognise: createRecogniser(), signal: interrupted.signal }
  const surveying = survey({ ...source, parts }, settings)
  await expect(surveying).rejects.toMatchObject({ name: 'AbortError' })
  expect(read).toHaveLength(2)
})

test('a transaction that waits for another to end does not begin after an interruption', async () => {
  const interrupted = new AbortController()
  const gate = createGate()
  const other = Promise.withResolvers<void>()
  const alone = gate(() => other.promise, true)
  let begun = 0
  const attempt = async () => void begun++
  const settings = { gate, signal: interrupted.signal }
  const waiting = Promise.allSettled([1, 2, 3].map(() => withRetries(attempt, settings)))
  interrupted.abort()
  other.resolve()
  await alone
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(begun).toBe(0)
})
