import { createRemoteJWKSet, type JWTVerifyGetKey, errors as joseErrors } from 'jose'
import * as errors from '../errors/catalogue.ts'
import type { TokenLog } from './static-tokens.ts'

export interface KeySettings {
  jwksUrl: string
  /** Minimum seconds between two fetches because of unknown keys. */
  cooldownSeconds: number
  /** How long the last known keys stay valid while they cannot be fetched. */
  staleSeconds: number
}

/** 1 while the last fetch of the keys has failed, else 0. */
export interface KeysGauge {
  set(value: number): void
}

const [maxAgeMs, pauseMs] = [600_000, 5_000]
/**
 * Time of one fetch of the signing keys. Beyond this limit the last known keys stay valid; without keys the answer is
 * `503 keysAway`.
 */
const limitMs = 5_000

/**
 * The keys of the JWKS. One fetch runs at a time. While its server fails, the last known keys stay valid and no request
 * waits for the server. So a key that was rotated out stays valid until the server answers, or for `staleSeconds`.
 * @returns a lookup that throws JWKSNoMatchingKey for an unknown key, and keysAway (503) while the keys are not known
 */
export function createSigningKeys(settings: KeySettings, log: TokenLog, failing: KeysGauge): JWTVerifyGetKey {
  const never = Number.POSITIVE_INFINITY
  const keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
    cacheMaxAge: never,
    cooldownDuration: never,
    timeoutDuration: limitMs,
  })
  let [fetchedAt, triedAt] = [-never, -never]
  let pending: Promise<void> | null = null
  let failure: Error | null = null

  async function fetchKeys(): Promise<void> {
    triedAt = Date.now()
    try {
      await keys.reload()
      if (failure) log.info({}, 'the signing keys of tokens can be fetched again')
      ;[fetchedAt, failure] = [Date.now(), null]
    } catch (error) {
      const { staleSeconds } = settings
      if (!failure)
        log.error(
          { err: error, staleSeconds },
          'the signing keys of tokens cannot be fetched; the last known keys stay valid',
        )
      failure = error as Error
    }
    failing.set(failure ? 1 : 0)
    pending = null
  }
  const refresh = () => (pending ??= fetchKeys())
  const areKnown = () => Date.now() - fetchedAt <= settings.staleSeconds * 1_000
  const isDue = (afterMs: number) => Date.now() - triedAt >= afterMs

  async function renew(): Promise<void> {
    // A server that refuses connections costs no time, unlike one that is silent.
    const isSilent = failure instanceof joseErrors.JWKSTimeout
    if (!failure || !(areKnown() || isSilent)) await refresh()
    else if (isDue(pauseMs)) void refresh()
  }

  return async (header, token) => {
    if (failure || Date.now() - fetchedAt > maxAgeMs) await renew()
    if (!areKnown()) throw errors.keysAway(failure)
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey)) throw error
      if (!failure && (pending || isDue(settings.cooldownSeconds * 1_000))) await refresh()
      // The token may name a key that the server has added.
      if (failure) throw errors.keysAway(failure)
      return keys(header, token)
    }
  }
}
