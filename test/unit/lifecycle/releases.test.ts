import { expect, test } from 'vitest'
import { Releases } from '../../../shared/lifecycle/releases.ts'

/** Releases, and a record of their actions and log lines. */
function watched() {
  const events: string[] = []
  const note = (fields: object, message: string) =>
    events.push(`${(fields as { resource: string }).resource}: ${message}`)
  return { events, releases: new Releases({ info: note, warn: note }) }
}

test('resources are released in reverse order of creation, each awaited and logged by name', async () => {
  const { events, releases } = watched()
  const closing = async (name: string) => {
    events.push(`close ${name}`)
    await null
    events.push(`closed ${name}`)
  }
  expect(releases.add('redis', 'r', closing)).toBe('r')
  expect(releases.add('store', 's', closing)).toBe('s')
  await releases.dispose()
  expect(events).toEqual(['close s', 'closed s', 'store: released', 'close r', 'closed r', 'redis: released'])
})

test('a release that hangs is abandoned after its time limit', async () => {
  const { events, releases } = watched()
  releases.add('first', 0, () => events.push('close first'))
  releases.add('hanging', 0, () => new Promise(() => {}), 5)
  await releases.dispose()
  expect(events).toEqual(['hanging: not released in time', 'close first', 'first: released'])
})

test('a release that throws or rejects does not prevent the others', async () => {
  const { events, releases } = watched()
  releases.add('first', 0, () => events.push('close first'))
  releases.add('rejecting', 0, () => Promise.reject(new Error('broken')))
  releases.add('throwing', 0, () => {
    throw new Error('broken')
  })
  await releases.dispose()
  expect(events).toEqual(['throwing: release failed', 'rejecting: release failed', 'close first', 'first: released'])
})

test('a resource is released once, even if dispose is called repeatedly', async () => {
  const { events, releases } = watched()
  releases.add('only', 0, () => events.push('close'))
  await Promise.all([releases.dispose(), releases.dispose()])
  await releases.dispose()
  expect(events).toEqual(['close', 'only: released'])
})

test('a resource added during dispose is released as well', async () => {
  const { events, releases } = watched()
  releases.add('early', 0, () => events.push('close early'))
  releases.add('last', 0, () => releases.add('late', 0, () => events.push('close late')))
  await releases.dispose()
  expect(events).toEqual(['last: released', 'close late', 'late: released', 'close early', 'early: released'])
})
