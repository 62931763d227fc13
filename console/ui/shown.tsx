import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ServiceError } from '../../client/service/service-error.ts'
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

/** From this age of the data the page says that the service is slow, and from the second that they may be wrong. */
const [slowMs, oldMs] = [10_000, 15_000]

/** When the data came: always there, and what the page shows is grey when they are old. */
export function AsOf({ of: { answeredAt, error } }: { of: Pick<Asked<unknown>, 'answeredAt' | 'error'> }) {
  const ageMs = useEverySecond() - answeredAt
  useEffect(() => {
    document.body.classList.toggle('old', ageMs > oldMs)
    return () => document.body.classList.remove('old')
  }, [ageMs > oldMs])
  // Then the error says it.
  if (error !== null) return null
  return (
    <p class={ageMs > slowMs ? 'stale' : 'quiet as-of'} role={ageMs > slowMs ? 'status' : undefined}>
      As of {new Date(answeredAt).toLocaleTimeString('en-GB')}
      {ageMs > slowMs ? '. The service has not answered since.' : ''}
    </p>
  )
}

/** The time, which renders the page again each second. */
function useEverySecond(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
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

/** Whether it is no longer so early that a fast answer would flicker. */
function useLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

/** A sentence that appears late. */
export const Late = ({ children }: { children: ComponentChildren }) =>
  useLate() ? (
    <p class="stale" role="status">
      {children}
    </p>
  ) : null

/** Appears late, so that fast answers do not flicker. */
export function Skeleton({ isLoading }: { isLoading: boolean }) {
  const isLate = useLate()
  if (!isLate || !isLoading) return null
  return (
    <div class="skeleton" role="status">
      <Slow>
        <span class="hidden">Loading</span>
      </Slow>
    </div>
  )
}

const wordMs = 4_000

/** Says, after some seconds, how long the service has not answered. */
function Slow({ children }: { children: ComponentChildren }) {
  const [since] = useState(Date.now())
  const waitedMs = useEverySecond() - since
  if (waitedMs < wordMs) return children
  return <p>The service is slow: no answer for {Math.floor(waitedMs / 1_000)} s.</p>
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
