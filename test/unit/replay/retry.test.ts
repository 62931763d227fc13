import { expect, test } from 'vitest'
import { createGate, withRetries } from '../../../client/replay/run/retry.ts'
import { databaseError } from './fake-connection.ts'

const { signal } = new AbortController()
const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

test('work that asks to be alone runs beside no other work, and other work runs together', async () => {
  const gate = createGate()
  let [together, alone, most] = [0, 0, 0]
  const visit = async (isAlone: boolean) => {
    if (isAlone) alone++
    else together++
    most = Math.max(most, together)
    expect(alone === 0 || (alone === 1 && together === 0)).toBe(true)
    await pause()
    if (isAlone) alone--
    else together--
  }
  const visits = Array.from({ length: 40 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index % 7))
    return gate(() => visit(index % 5 === 0), index % 5 === 0)
  })
  await Promise.all(visits)
  expect(most).toBeGreaterThan(1)
})

test('a failure inside the gate leaves it open', async () => {
  const gate = createGate()
  await expect(gate(() => Promise.reject(new Error('one')), true)).rejects.toThrow('one')
  await expect(gate(() => Promise.reject(new Error('two')), false)).rejects.toThrow('two')
  expect(await gate(async () => 3, false)).toBe(3)
})

test('a lost connection is tried again for a limited time', async () => {
  let [tries, retried] = [0, 0]
  const settings = { gate: createGate(), signal, onRetry: () => retried++, reconnectMs: 300 }
  const begun = performance.now()
  const lost = () => {
    tries++
    // A loop that never ends would hang the test instead of failing it.
    const isOver = performance.now() - begun > 10_000
    return Promise.reject(isOver ? new Error('it was tried for too long') : databaseError('ServiceUnavailable'))
  }
  await expect(withRetries(lost, settings)).rejects.toMatchObject({ code: 'ServiceUnavailable' })
  expect(tries).toBeGreaterThan(1)
  expect(retried).toBe(tries - 1)
})

test('a retry after a lost connection may succeed', async () => {
  const failures = ['SessionExpired', 'Neo.TransientError.General.DatabaseUnavailable']
  const attempt = async () => {
    const code = failures.shift()
    if (code !== undefined) throw databaseError(code)
    return 'done'
  }
  expect(await withRetries(attempt, { gate: createGate(), signal, onRetry() {} })).toBe('done')
})

test('an interruption ends the pause before a repetition', async () => {
  const interrupted = new AbortController()
  const attempt = () => {
    setTimeout(() => interrupted.abort(), 5)
    return Promise.reject(databaseError('ServiceUnavailable'))
  }
  const settings = { gate: createGate(), signal: interrupted.signal, onRetry() {} }
  await expect(withRetries(attempt, settings)).rejects.toMatchObject({ name: 'AbortError' })
})
