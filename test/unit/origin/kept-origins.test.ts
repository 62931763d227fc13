import { afterEach, expect, test, vi } from 'vitest'
import { createKeptOrigins, keptMs } from '../../../shared/origin/kept-origins.ts'
import type { Link } from '../../../shared/origin/link.ts'
import { only } from '../../support/values/only.ts'

afterEach(() => vi.useRealTimers())

const start = () => {
  vi.useFakeTimers()
  let count = 0
  const kept = createKeptOrigins({
    set(now) {
      count = now
    },
  })
  return { kept, count: () => count }
}

function newLink() {
  const close = vi.fn(async () => {})
  const link: Link = {
    driver: only<Link['driver']>({}),
    guard: only<Link['guard']>({ close }),
    openedAt: performance.now(),
  }
  return { link, close, isOpen: () => close.mock.calls.length === 0 }
}

const settled = () => vi.advanceTimersByTimeAsync(0)
const ended = Promise.resolve()

test('connections are kept under their key, for one at a time', async () => {
  const { kept, count } = start()
  const [one, two] = [newLink(), newLink()]
  kept.keep('a', one.link, ended)
  kept.keep('a', two.link, ended)
  await settled()
  expect(count()).toBe(2)
  expect([kept.take('b'), kept.take('a'), kept.take('a'), kept.take('a')]).toEqual([null, two.link, one.link, null])
  expect(count()).toBe(0)
})

test('kept connections are closed half a minute after they were opened, however often they were used', async () => {
  const { kept, count } = start()
  const { link, isOpen } = newLink()
  for (let used = 0; used < 4; used++) {
    kept.keep('a', link, ended)
    await vi.advanceTimersByTimeAsync(keptMs / 5)
    expect(kept.take('a')).toBe(link)
  }
  kept.keep('a', link, ended)
  await vi.advanceTimersByTimeAsync(keptMs / 5 - 1)
  expect([isOpen(), count()]).toEqual([true, 1])
  await vi.advanceTimersByTimeAsync(1)
  expect([isOpen(), count(), kept.take('a')]).toEqual([false, 0, null])
})

test('connections that a publish used for longer than half a minute are not kept', async () => {
  const { kept } = start()
  const { link, isOpen } = newLink()
  await vi.advanceTimersByTimeAsync(keptMs)
  kept.keep('a', link, ended)
  await settled()
  expect([isOpen(), kept.take('a')]).toEqual([false, null])
})

test('connections whose transaction does not end at once, or fails to end, are closed', async () => {
  const { kept } = start()
  const [failed, hanging] = [newLink(), newLink()]
  kept.keep('a', failed.link, Promise.reject(new Error('it broke')))
  kept.keep('a', hanging.link, new Promise(() => {}))
  await settled()
  expect([failed.isOpen(), hanging.isOpen()]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(2_000)
  expect([hanging.isOpen(), kept.take('a')]).toEqual([false, null])
})

test('of more than 32 kept connections the ones kept first are closed', async () => {
  const { kept, count } = start()
  const links = Array.from({ length: 40 }, newLink)
  for (const [index, { link }] of links.entries()) kept.keep(String(index), link, ended)
  await settled()
  expect(links.map(({ isOpen }) => isOpen())).toEqual(links.map((_, index) => index >= 8))
  expect(count()).toBe(32)
})

test('when the program stops all kept connections are closed, also later ones', async () => {
  const { kept, count } = start()
  const [there, ending, late] = [newLink(), newLink(), newLink()]
  kept.keep('a', there.link, ended)
  await settled()
  const { promise, resolve } = Promise.withResolvers<void>()
  kept.keep('a', ending.link, promise)
  const closed = kept.close()
  resolve()
  await closed
  kept.keep('a', late.link, ended)
  await settled()
  expect([there, ending, late].map(({ isOpen }) => isOpen())).toEqual([false, false, false])
  expect(count()).toBe(0)
})
