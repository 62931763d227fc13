import { useEffect, useState } from 'preact/hooks'
import { type Client, createClient } from '../client/service/client.ts'
import { ServiceError } from '../client/service/service-error.ts'
import type { WhoAmI } from '../wire/whoami.ts'
import { queries } from './data.ts'

/** A token that the service has accepted. It stays in memory, or in the storage of this tab if the user says so. */
export interface Session {
  who: WhoAmI
  client: Client
}

const storageKey = 'packets-token'
const longestTimerMs = 2 ** 31 - 1
/** Time of a question. After it the page says that nothing answers. Event streams have no end. */
const longestAnswerMs = 30_000

let current: Session | null = null
let reason = ''
/** Aborts what the session has under way. */
let ending: AbortController | null = null
let isRestoring = false
/** How far the service's clock is ahead of the browser's. */
let aheadMs = 0
let expiry: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function change(session: Session | null, why: string): void {
  current = session
  reason = why
  isRestoring = false
  for (const listener of listeners) listener()
}

/** @throws ServiceError if the service does not accept the token, which is then kept nowhere */
export async function signIn(token: string, isKept: boolean): Promise<void> {
  const given = token.trim().replace(/^Bearer +/i, '')
  if (!/^[\x21-\x7e]+$/.test(given)) throw new Error('A token is one line of visible ASCII characters.')
  const ended = new AbortController()
  const client = createClient({ url: location.origin, token: given, fetchOne: fetchUntil(ended) })
  const who = await client.whoami()
  signOut()
  ending = ended
  if (isKept) tabStorage()?.setItem(storageKey, given)
  if (who.expiresAt !== null) expireAt(Date.parse(who.expiresAt))
  change({ who, client }, '')
}

/** Sends the requests of a session until it ends. It ends if the service refuses its token. */
const fetchUntil =
  (ended: AbortController): typeof fetch =>
  async (input, init) => {
    const { pathname } = new URL(String(input))
    const isQuestion = init?.method === 'GET' ? !pathname.endsWith('/events') : pathname.endsWith('/files')
    const signals = [ended.signal, init?.signal ?? [], isQuestion ? AbortSignal.timeout(longestAnswerMs) : []].flat()
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
    aheadMs = (Date.parse(response.headers.get('Date') ?? '') || Date.now()) - Date.now()
    if (response.status === 401 && ending === ended) signOut('The service no longer accepts this token.')
    return response
  }

// A timer takes at most 24 days.
function expireAt(time: number): void {
  const left = time - Date.now() - aheadMs
  const wait = () => (left > longestTimerMs ? expireAt(time) : signOut('The token has expired.'))
  expiry = setTimeout(wait, Math.min(left, longestTimerMs))
}

/** Requests under way are aborted, so that nothing is sent for a user who has left. */
export function signOut(why = ''): void {
  ending?.abort()
  ending = null
  queries.clear()
  tabStorage()?.removeItem(storageKey)
  clearTimeout(expiry)
  change(null, why)
}

/** A storage of the browser; null if the browser blocks it. */
export function allowed(storage: () => Storage): Storage | null {
  try {
    return storage()
  } catch {
    return null
  }
}

const tabStorage = () => allowed(() => sessionStorage)

/** Signs in with the token of this tab, if it has one. */
export async function restore(): Promise<void> {
  const token = tabStorage()?.getItem(storageKey) ?? null
  if (token === null) return
  isRestoring = true
  await signIn(token, true).catch((error) => {
    const isRefused = error instanceof ServiceError && error.status === 401
    if (isRefused) signOut('The service no longer accepts the token of this tab.')
    else change(null, `The token of this tab was not checked: ${error.message}.`)
  })
}

/** The session, and why there is none. `isRestoring`: the token of this tab is being checked. */
export function useSession(): { session: Session | null; reason: string; isRestoring: boolean } {
  const [, render] = useState(0)
  useEffect(() => {
    const listener = () => render((count) => count + 1)
    listeners.add(listener)
    // The session may have changed since the first drawing.
    listener()
    return () => void listeners.delete(listener)
  }, [])
  return { session: current, reason, isRestoring }
}

/** The session of a page that is shown only to those who have signed in. */
export function useSignedIn(): Session {
  return useSession().session as Session
}

export const mayRead = ({ who }: Session): boolean => who.scopes.includes('publish:read')
export const mayWrite = ({ who }: Session): boolean => who.scopes.includes('publish:write')
export const maySeeOperations = ({ who }: Session): boolean => who.scopes.includes('ops:read') && who.orgs.includes('*')
