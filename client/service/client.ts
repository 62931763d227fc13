import type { PublishFields } from '../../shared/request/fields.ts'
import type { Job } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { Model } from '../../wire/model.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import type { Overview } from '../../wire/overview.ts'
import type { WhoAmI } from '../../wire/whoami.ts'
import { delay, withinTime } from './delay.ts'
import { jobsIn } from './job-events.ts'
import { persist } from './persist.ts'
import { createRequests, path } from './requests.ts'
import { ofOneRequest, ServiceError, somethingElse } from './service-error.ts'

const namesPerPage = 10_000
const itemsPerPage = 1_000
const waitSeconds = 2
const longestAnswerMs = 5_000

type Query = { limit: number; after: string | undefined }
type Page = Record<string, unknown>

/** A typed client of the service. Every method throws a `ServiceError` on any answer that is not a success. */
export function createClient({ url, token, fetchOne }: { url: string; token: string; fetchOne?: typeof fetch }) {
  let baseUrl = url
  while (baseUrl.endsWith('/')) baseUrl = baseUrl.slice(0, -1)
  const { send, ask } = createRequests(baseUrl, token, fetchOne)

  /**
   * Reads the pages of a list, which have its items under its name. @returns the items, at most `limit`
   * @throws ServiceError if an answer is not a page of a list, or names itself as the next page, which would never end
   */
  async function list<Name extends string, Item>(
    name: Name,
    limit: number,
    pageOf: (query: Query) => Promise<unknown>,
    most = itemsPerPage,
  ): Promise<Record<Name, Item[]> & { hasMore: boolean }> {
    const found: Item[] = []
    let after: string | undefined
    do {
      const page = (await pageOf({ limit: Math.min(most, limit - found.length), after })) as Page | undefined
      const [items, next] = [page?.[name], page?.next]
      if (!Array.isArray(items) || (after !== undefined && next === after)) throw somethingElse(baseUrl)
      for (const item of items) found.push(item)
      after = (next as string | null) ?? undefined
    } while (after !== undefined && found.length < limit)
    return { [name]: found, hasMore: after !== undefined } as Record<Name, Item[]> & { hasMore: boolean }
  }

  async function job(id: string, wait = 0, signal?: AbortSignal): Promise<Job> {
    const query = { wait: wait || undefined }
    return own<Job>(ask('GET', path`/1.0/jobs/${id}`, { query, signal }), 'state')
  }

  /** @throws ServiceError if an answer lacks the field, and so does not come from this service */
  async function own<T>(answer: Promise<T | null | undefined>, field: keyof T): Promise<T> {
    const found = await answer
    if (found?.[field] === undefined) throw somethingElse(baseUrl)
    return found
  }

  /**
   * The states of a job from its event stream; null if there is none, also if nothing answers soon. Ends without an
   * error if the stream is cut.
   */
  async function openEvents(id: string, signal?: AbortSignal): Promise<AsyncIterable<Job> | null> {
    const headers = { Accept: 'text/event-stream' }
    const answer = await withinTime(longestAnswerMs, (late) =>
      send('GET', path`/1.0/jobs/${id}/events`, { headers, signal: AbortSignal.any([late, signal ?? []].flat()) }),
    ).catch(() => signal?.throwIfAborted())
    const isStream = answer?.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (answer?.body && isStream) return jobsIn(answer.body, signal)
    await answer?.body?.cancel()
    return null
  }

  return {
    ask,
    /** An answer whose content the caller reads, or cancels. */
    open: (path: string, signal?: AbortSignal): Promise<Response> => send('GET', path, { signal }),

    /** Names of an org's files, at most `limit`: those that start with one of `prefixes`, or all without prefixes. */
    files(orgName: string, prefixes: readonly string[], limit: number, signal?: AbortSignal) {
      const body = { fileNames: prefixes, usePrefixes: true }
      const files = path`/1.0/publish/${orgName}/files`
      const pageOf = (query: Query) => ask('POST', files, { query, body, signal })
      return list<'fileNames', string>('fileNames', limit, pageOf, namesPerPage)
    },

    /** The orgs that the token may see; at most `limit`. */
    orgs: (limit: number, signal?: AbortSignal) =>
      list<'orgs', string>('orgs', limit, (query) => ask('GET', '/1.0/orgs', { query, signal })),

    /** Creates an org, unless it exists. */
    async createOrg(orgName: string, signal?: AbortSignal): Promise<void> {
      await ask('POST', path`/1.0/publish/${orgName}`, { signal })
    },

    /** What the token allows. */
    whoami: (signal?: AbortSignal): Promise<WhoAmI> => own(ask('GET', '/1.0/whoami', { signal }), 'orgs'),

    /** The labels and types of the origin that a request names. */
    originNames: (place: object, signal?: AbortSignal): Promise<OriginNames> =>
      own(ask('POST', '/1.0/origin/names', { body: place, signal }), 'labels'),

    /** The queue, the workers and the dependencies. */
    overview: (signal?: AbortSignal): Promise<Overview> =>
      own(ask('GET', '/1.0/ops/overview', { signal }), 'dependencies'),

    /** The manifest of a packet, with links to its parts, all of one generation. Its shape is not checked. */
    manifest: (orgName: string, fileName: string, lifetime: number, signal?: AbortSignal): Promise<unknown> =>
      ask('GET', path`/1.0/publish/${orgName}/${fileName}/manifest`, { query: { lifetime }, signal }),

    job,

    /** A version of a data model: its node types, with their properties. */
    model: (managerVersionGrn: string, signal?: AbortSignal): Promise<Model> =>
      own(ask('GET', path`/1.0/manager/export/${managerVersionGrn}`, { signal }), 'nodeTypes'),

    /** Jobs, newest first, of an org and in a state; at most `limit`. */
    jobs(of: { orgName?: string | undefined; state?: string | undefined }, limit: number, signal?: AbortSignal) {
      const pageOf = (query: Query) => ask('GET', '/1.0/jobs', { query: { ...of, ...query }, signal })
      return list<'jobs', Job>('jobs', limit, pageOf)
    },

    /** Removes a packet, or a file that others stored in the org. */
    async remove(orgName: string, fileName: string, signal?: AbortSignal): Promise<void> {
      await ask('DELETE', path`/1.0/publish/${orgName}/${fileName}`, { signal })
    },

    /** Cancels a job. @returns the job, which may still be stopping */
    cancel: (id: string, signal?: AbortSignal): Promise<Job> =>
      own(ask('POST', path`/1.0/jobs/${id}/cancel`, { signal }), 'state'),

    /**
     * Submits requests as one packet. Retries send the same `Idempotency-Key`, so a lost answer causes no second job.
     * @returns the id of the job, which may have failed already
     */
    publish(requests: PublishFields[], key: string, force: boolean, signal?: AbortSignal): Promise<string> {
      const headers = { Prefer: 'respond-async, return=minimal', 'Idempotency-Key': key }
      return persist(async () => {
        const answer = await send('POST', '/1.0/publish/multi', {
          query: { forceOverwrite: force || undefined },
          headers,
          body: requests,
          signal,
        }).catch((given) => {
          const error = requests.length === 1 ? ofOneRequest(given) : given
          // The stored answer for our own job, which has failed. A job that any other error names is somebody else's.
          if (error instanceof ServiceError && error.headers.has('Idempotent-Replayed')) return error
          throw error
        })
        const location = answer.headers.get('Location')
        if (location === null) throw new ServiceError('the service named no job', 0)
        return location.slice(location.lastIndexOf('/') + 1)
      }, signal)
    },

    /** What a publish would make, as unparsed JSON: parsing it would lose the number types of the sample. */
    dryRun(requests: PublishFields[], force: boolean, signal?: AbortSignal): Promise<string> {
      const query = { dryRun: true, forceOverwrite: force || undefined }
      const dryRun = () => ask<string>('POST', '/1.0/publish/multi', { query, body: requests, signal }, String)
      return persist(dryRun, signal).catch((error): never => {
        throw requests.length === 1 ? ofOneRequest(error) : error
      })
    },

    /**
     * Yields the states of a job until it has finished. They come from its event stream or, if the service offers none,
     * from requests that wait for a change, two seconds at most. If the service refuses to wait, this polls instead.
     */
    async *follow(id: string, signal?: AbortSignal): AsyncGenerator<Job> {
      let wait = waitSeconds
      let askedAt = 0
      let events = await openEvents(id, signal)
      for (;;) {
        for await (const seen of events ?? []) {
          yield seen
          if (isFinished(seen)) return
        }
        // The service waits, but a proxy may answer in its place.
        await delay(Math.max(0, askedAt + waitSeconds * 1_000 - Date.now()), signal)
        askedAt = Date.now()
        const seen = await persist(() => job(id, wait, signal), signal).catch((error) => {
          if (!(error instanceof ServiceError && error.status === 400 && wait > 0)) throw error
          wait = 0
          return null
        })
        if (seen === null) continue
        yield seen
        if (isFinished(seen)) return
        // The stream was cut. A new one may continue.
        if (events !== null) events = await openEvents(id, signal)
      }
    },
  }
}

export type Client = ReturnType<typeof createClient>
