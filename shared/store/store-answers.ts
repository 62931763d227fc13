import { setTimeout as delay } from 'node:timers/promises'
import * as errors from '../errors/catalogue.ts'
import { StoreFailed, StoreStalled } from './bounded-transport.ts'

// What an answer of the store means: the only place that knows the codes of S3 and of its servers.

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

export const isMissing = (error: unknown): boolean => ['NoSuchKey', 'NotFound'].includes(codeOf(error))

export const isTaken = (error: unknown): boolean =>
  ['PreconditionFailed', 'ConditionalRequestConflict'].includes(codeOf(error))

/** A missing or taken key is a regular outcome, not a failure. */
export const outcomeOf = (error: unknown): string =>
  isMissing(error) ? 'missing' : isTaken(error) ? 'taken' : 'failed'

/** Refusals of one request only: the body arrived damaged or late, or another request was first. */
const passing =
  /^(RequestTimeout|SlowDown|BadDigest|InvalidDigest|IncompleteBody|XAmzContentSHA256Mismatch|OperationAborted)$/

/** The code with which the store refused a request that it would refuse again; null for any other error. */
export function refusalOf(error: unknown): string | null {
  // The client's errors for answers are the only ones with an id of the request, even if the store has sent none.
  const isAnswer = typeof error === 'object' && error !== null && 'amzRequestid' in error
  const code = codeOf(error)
  return isAnswer && code !== '' && !passing.test(code) ? code : null
}

/** What the store answered to a request that failed; null if it did not answer. */
export interface Answer {
  /** S3 has error codes such as `AccessDenied`. */
  code: string
  /** The store's own words, shortened: for operators only, because they may quote an address or a key's name. */
  words: string
  /** Whether it would refuse the request again. */
  isRefusal: boolean
}

const mostWords = 300

/** Finds the answer of the store in an error or its causes. */
export function answerOf(thrown: unknown): Answer | null {
  for (let [error, depth] = [thrown, 0]; error instanceof Error && depth < 10; error = error.cause, depth++) {
    const refusal = refusalOf(error)
    const code = refusal ?? (error instanceof StoreFailed ? error.code : null)
    const words = error.message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, mostWords)
    if (code !== null) return { code, words, isRefusal: refusal !== null }
  }
  return null
}

/** The error for clients. The log has the store's words, which may quote an address. */
export function storeError(error: unknown): Error {
  const answer = answerOf(error)
  if (answer === null) return errors.storeAway(error)
  return answer.isRefusal ? errors.storeRefuses(answer.code, error) : errors.storeFails(answer.code, error)
}

/** Delays before each retry of an idempotent request. */
const retryDelaysMs = [100, 500]

/** Retries an idempotent request. @throws a not-found error unchanged, any other as storeAway (503). */
export async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      if (isMissing(error)) throw error
      // A stalled request has already cost much time, so it is retried at most once.
      if (error instanceof StoreStalled) attempt++
      const wait = retryDelaysMs[attempt]
      if (wait === undefined || refusalOf(error) !== null) throw storeError(error)
      await delay(wait)
    }
  }
}

export function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}
