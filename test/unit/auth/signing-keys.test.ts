import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createJwtTokens } from '../../../shared/auth/jwt.ts'
import { audience, issuer, startIdentityProvider } from '../../support/servers/identity-provider.ts'

const minute = 60_000
const inDays = { exp: Math.floor(Date.now() / 1_000) + 7 * 86_400 }
const stops: (() => Promise<void>)[] = []

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(async () => {
  vi.useRealTimers()
  for (const stop of stops.splice(0)) await stop()
})

/** The keys of a provider, as a service sees them whose last known keys count for an hour. */
async function open() {
  const identity = await startIdentityProvider()
  stops.push(identity.stop)
  const logged: string[] = []
  const log = {
    info: (_fields: object, message: string) => void logged.push(message),
    error: (_fields: object, message: string) => void logged.push(message),
  }
  const gauge = {
    value: 0,
    set(value: number) {
      gauge.value = value
    },
  }
  const settings = { jwksUrl: identity.jwksUrl, issuer, audience, cooldownSeconds: 30, staleSeconds: 3_600 }
  const principalOf = createJwtTokens(settings, log, gauge)
  const token = await identity.sign(inDays)
  const isAccepted = async (text = token) => (await principalOf(text)) !== null
  return { identity, isAccepted, logged, gauge }
}

const later = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds)

test('a token of a known key is accepted for the time of the setting while the key server is away, then it is 503', async () => {
  const { identity, isAccepted, logged, gauge } = await open()
  expect(await isAccepted()).toBe(true)
  await identity.stop()
  for (let asked = 0; asked < 5; asked++) {
    later(11 * minute)
    expect(await isAccepted()).toBe(true)
  }
  await vi.waitFor(() => expect(gauge.value).toBe(1))
  expect(logged).toEqual(['the signing keys of tokens cannot be fetched; the last known keys stay valid'])
  later(6 * minute)
  await expect(isAccepted()).rejects.toMatchObject({ code: 'keysAway', status: 503 })
  await identity.start()
  expect(await isAccepted()).toBe(true)
  expect(gauge.value).toBe(0)
  expect(logged.slice(1)).toEqual(['the signing keys of tokens can be fetched again'])
})

test('a silent key server costs one wait, whichever keys later tokens name', { timeout: 20_000 }, async () => {
  const { identity, isAccepted } = await open()
  await isAccepted()
  identity.setSilent(true)
  const before = identity.asked()
  later(11 * minute)
  expect(await Promise.all(Array.from({ length: 50 }, () => isAccepted()))).not.toContain(false)
  const started = performance.now()
  for (let asked = 0; asked < 20; asked++) {
    later(minute)
    expect(await isAccepted()).toBe(true)
    // A token of an unknown key is not invalid: the server may have added its key.
    await expect(isAccepted(await identity.sign(inDays, { kid: `other${asked}` }))).rejects.toThrow('signing keys')
  }
  expect(performance.now() - started).toBeLessThan(2_000)
  // One fetch, and one in the background.
  expect(identity.asked() - before).toBeLessThanOrEqual(2)
})

test('a key that was rotated out is refused as soon as the key server has answered again', async () => {
  const { identity, isAccepted } = await open()
  await isAccepted()
  await identity.stop()
  await identity.rotate()
  later(11 * minute)
  expect(await isAccepted()).toBe(true)
  await identity.start()
  later(minute)
  await vi.waitFor(async () => expect(await isAccepted()).toBe(false))
  expect(await isAccepted(await identity.sign(inDays))).toBe(true)
})
