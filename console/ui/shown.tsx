import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ServiceError } from '../../client/service-error.ts'
import { type Asked, mayPass } from '../data.ts'

interface Props<T> {
  of: Asked<T>
  children: (data: T) => ComponentChildren
}

/** Shows an answer: a skeleton before it comes, and what went wrong, with the last answer if there is one. */
export function Shown<T>({ of, children }: Props<T>) {
  const { data, error, isLoading, isRepeated, answeredAt, again } = of
  if (data === undefined)
    return error === null ? <Skeleton isLoading={isLoading} /> : <Problem error={error} again={again} />
  return (
    <>
      {error !== null && <Stale error={error} answeredAt={answeredAt} isRepeated={isRepeated} again={again} />}
      {children(data)}
    </>
  )
}

type StaleProps = Pick<Asked<unknown>, 'answeredAt' | 'isRepeated' | 'again'> & { error: Error }

/** Says that the data on the page are old. */
export function Stale({ error, answeredAt, isRepeated, again }: StaleProps) {
  return (
    <div class="stale" role="status">
      <p>
        As of {new Date(answeredAt).toLocaleTimeString('en-GB')}
        {isRepeated ? ', trying again' : ''}: {error.message}.
      </p>
      <button type="button" onClick={again}>
        Try now
      </button>
    </div>
  )
}

/** Appears late, so that fast answers do not flicker. */
export function Skeleton({ isLoading }: { isLoading: boolean }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate || !isLoading) return null
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
    </div>
  )
}

export function Problem({ error, again }: { error: Error; again?: () => void }) {
  const isService = error instanceof ServiceError
  const details = isService ? error.details.filter((line) => !error.message.includes(line.trim())) : []
  const requestId = isService ? error.headers.get('X-Request-Id') : null
  const wait = isService ? error.retryAfterSeconds : 0
  return (
    <div class="problem" role="alert">
      <p>{sentence(error.message)}</p>
      {details.length > 0 && (
        <ul>
          {details.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {requestId && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      {wait > 0 && <p class="quiet">The service asks to wait {wait} s.</p>}
      {again && (!isService || mayPass(error)) && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

/** A message as a sentence, unless it begins with an address. */
export function sentence(text: string): string {
  const begun = /^\w+:/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return /[.?!]$/.test(begun) ? begun : `${begun}.`
}
