import { useEffect, useState } from 'preact/hooks'
import { type Client, createClient } from '../client/client.ts'
import { createRequests } from '../client/requests.ts'
import { ServiceError } from '../client/service-error.ts'
import type { WhoAmI } from '../client/service-types.ts'

/** A token that the service has accepted. It stays in memory, or in the storage of this tab if the user says so. */
export interface Session {
  who: WhoAmI
  client: Client
  ask: ReturnType<typeof createRequests>['ask']
}

const storageKey = 'packets-token'
const longestTimerMs = 2 ** 31 - 1

let current: Session | null = null
let reason = ''
let expiry: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function change(session: Session | null, why: string): void {
  current = session
  reason = why
  for (const listener of listeners) listener()
}

/** @throws ServiceError if the service does not accept the token, which is then kept nowhere */
export async function signIn(token: string, isKept: boolean): Promise<void> {
  const given = token.trim().replace(/^Bearer +/i, '')
  if (!/^[\x21-\x7e]+$/.test(given)) throw new Error('A token is one line of visible ASCII characters.')
  const client = createClient({ url: location.origin, token: given })
  const who = await client.whoami()
  if (isKept) sessionStorage.setItem(storageKey, given)
  if (who.expiresAt !== null) {
    const left = Math.min(Date.parse(who.expiresAt) - Date.now(), longestTimerMs)
    expiry = setTimeout(() => signOut('The token has expired.'), left)
  }
  change({ who, client, ask: createRequests(location.origin, given).ask }, '')
}

export function signOut(why = ''): void {
  sessionStorage.removeItem(storageKey)
  clearTimeout(expiry)
  change(null, why)
}

/** Signs in with the token of this tab, if it has one. */
export async function restore(): Promise<void> {
  const token = sessionStorage.getItem(storageKey)
  if (token === null) return
  await signIn(token, true).catch((error) => {
    const isRefused = error instanceof ServiceError && error.status === 401
    if (isRefused) signOut('The service no longer accepts the token of this tab.')
    else change(null, `The token of this tab was not checked: ${error.message}.`)
  })
}

/** Forgets a token that the service refuses. */
export function noticeRefusal(error: unknown): void {
  if (error instanceof ServiceError && error.status === 401) signOut('The service no longer accepts this token.')
}

/** The session, and why there is none. */
export function useSession(): { session: Session | null; reason: string } {
  const [, render] = useState(0)
  useEffect(() => {
    const listener = () => render((count) => count + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return { session: current, reason }
}

/** The session of a page that is shown only to those who have signed in. */
export function useSignedIn(): Session {
  return useSession().session as Session
}

export const mayWrite = ({ who }: Session): boolean => who.scopes.includes('publish:write')
export const maySeeOperations = ({ who }: Session): boolean => who.scopes.includes('ops:read') && who.orgs.includes('*')
