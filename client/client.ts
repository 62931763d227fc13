import { setTimeout as delay } from 'node:timers/promises'
import createOpenApiClient from 'openapi-fetch'
import type { paths } from './api/paths.ts'
import type { FileList, Job, PublishRequest } from './api/schemas.ts'
import { jobsIn } from './job-events.ts'
import { persist } from './persist.ts'
import { noAnswer, refusal, ServiceError, somethingElse } from './service-error.ts'

type JobsQuery = paths['/1.0/jobs']['get']['parameters']['query']

const namesPerPage = 10_000
const jobsPerPage = 1_000
const waitSeconds = 2

export const isFinished = ({ state }: Job): boolean => ['succeeded', 'failed', 'cancelled'].includes(state)

/** A typed client of the service. Every method throws a `ServiceError` on any answer that is not a success. */
export function createClient({ url, token }: { url: string; token: string }) {
  let baseUrl = url
  while (baseUrl.endsWith('/')) baseUrl = baseUrl.slice(0, -1)
  /**
   * Every endpoint of the areas publish and jobs, and one of manager. A redirect is an error: followed, it would take the credentials in
   * the body of a publish to any host.
   */
  const api = createOpenApiClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` }, redirect: 'manual' })

  async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>) {
    const { data, error, response } = await call.catch((thrown) => {
      throw noAnswer(baseUrl, thrown)
    })
    if (!response.ok) throw refusal(response, error)
    return { data: data as T, response }
  }

  /** @throws ServiceError for what is no page of a list, or names itself as the next one, which would never end */
  function requirePage(items: unknown, next: unknown, after: string | null): void {
    if (!Array.isArray(items) || (after !== null && next === after)) throw somethingElse(baseUrl)
  }

  async function page(
    orgName: string,
    prefixes: readonly string[],
    limit: number,
    after: string | null,
    signal?: AbortSignal,
  ): Promise<FileList> {
    const params = { path: { orgName }, query: { limit, ...(after === null ? {} : { after }) } }
    const body = { fileNames: [...prefixes], usePrefixes: true }
    return (await answerOf(api.POST('/1.0/publish/{orgName}/files', { params, body, signal }))).data
  }

  async function job(id: string, wait = 0, signal?: AbortSignal): Promise<Job> {
    const query = wait > 0 ? { wait } : {}
    const { data } = await answerOf(api.GET('/1.0/jobs/{id}', { params: { path: { id }, query }, signal }))
    if (typeof data?.state !== 'string') throw somethingElse(baseUrl)
    return data
  }

  /** The states of a job as the service tells them; null if it does not. Ends, without an error, where it is cut. */
  async function openEvents(id: string, signal?: AbortSignal): Promise<AsyncIterable<Job> | null> {
    const headers = { Accept: 'text/event-stream' }
    const options = { params: { path: { id } }, headers, parseAs: 'stream', signal } as const
    const answer = await api.GET('/1.0/jobs/{id}/events', options).catch((thrown) => {
      if (signal?.aborted) throw thrown
    })
    const isStream = answer?.response.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (answer?.data && isStream) return jobsIn(answer.data, signal)
    await answer?.data?.cancel()
    return null
  }

  async function jobsPage(query: JobsQuery, signal?: AbortSignal) {
    return (await answerOf(api.GET('/1.0/jobs', { params: { query }, signal }))).data
  }

  return {
    api,

    /** Names of the files of an org that start with one of `prefixes`, or of all; at most `limit`. */
    async files(orgName: string, prefixes: readonly string[], limit: number, signal?: AbortSignal) {
      const names: string[] = []
      let next: string | null = null
      do {
        const found: FileList = await page(
          orgName,
          prefixes,
          Math.min(namesPerPage, limit - names.length),
          next,
          signal,
        )
        requirePage(found?.fileNames, found?.next, next)
        for (const name of found.fileNames ?? []) names.push(name)
        next = found.next ?? null
      } while (next !== null && names.length < limit)
      return { names, hasMore: next !== null }
    },

    /** The manifest of a packet, with links to its parts, all of one generation. Its shape is not checked. */
    async manifest(orgName: string, fileName: string, lifetime: number, signal?: AbortSignal) {
      const params = { path: { orgName, fileName }, query: { lifetime } }
      return (await answerOf(api.GET('/1.0/publish/{orgName}/{fileName}/manifest', { params, signal }))).data
    },

    job,

    /** A version of a data model: its node types, with their properties. */
    async model(managerVersionGrn: string, signal?: AbortSignal) {
      const params = { path: { managerVersionGrn } }
      return (await answerOf(api.GET('/1.0/manager/export/{managerVersionGrn}', { params, signal }))).data
    },

    /** Jobs, newest first; at most `limit`. */
    async jobs(orgName: string | undefined, limit: number, signal?: AbortSignal) {
      const jobs: Job[] = []
      let after: string | null = null
      do {
        const query = {
          ...(orgName === undefined ? {} : { orgName }),
          ...(after === null ? {} : { after }),
          limit: Math.min(jobsPerPage, limit - jobs.length),
        }
        const found: { jobs: Job[]; next: string | null } = await jobsPage(query, signal)
        requirePage(found?.jobs, found?.next, after)
        jobs.push(...found.jobs)
        after = found.next ?? null
      } while (after !== null && jobs.length < limit)
      return { jobs, hasMore: after !== null }
    },

    /** Cancels a job. @returns the job, which may still be stopping */
    async cancel(id: string, signal?: AbortSignal): Promise<Job> {
      return (await answerOf(api.POST('/1.0/jobs/{id}/cancel', { params: { path: { id } }, signal }))).data
    },

    /**
     * Submits requests as one packet. Repeated under one `Idempotency-Key`, so that a lost answer makes no second job.
     * @returns the id of the job, which may have failed already
     */
    publish(requests: PublishRequest[], key: string, force: boolean, signal?: AbortSignal): Promise<string> {
      const params = {
        query: force ? { forceOverwrite: 'true' as const } : {},
        header: { Prefer: 'respond-async, return=minimal', 'Idempotency-Key': key },
      }
      return persist(async () => {
        const call = api.POST('/1.0/publish/multi', { params, body: requests, signal })
        const { response } = await answerOf(call).catch((error) => {
          // The answer of our job, which has failed. Any other error that names a job, names somebody else's.
          if (error instanceof ServiceError && error.headers.has('Idempotent-Replayed')) return { response: error }
          throw error
        })
        const location = response.headers.get('Location')
        if (location === null) throw new ServiceError('the service named no job', 0)
        return location.slice(location.lastIndexOf('/') + 1)
      }, signal)
    },

    /** What a publish would make, as the JSON of the answer: its sample keeps the types of numbers. */
    dryRun(requests: PublishRequest[], force: boolean, signal?: AbortSignal): Promise<string> {
      const params = { query: { dryRun: 'true' as const, ...(force ? { forceOverwrite: 'true' as const } : {}) } }
      return persist(async () => {
        const call = api.POST('/1.0/publish/multi', { params, body: requests, parseAs: 'text', signal })
        return (await answerOf(call)).data
      }, signal)
    },

    /**
     * The states of a job until it has finished: as the service tells them, or where it has no events, or refuses them,
     * about every two seconds. Polls where the service refuses to wait.
     */
    async *follow(id: string, signal?: AbortSignal): AsyncGenerator<Job> {
      let wait = waitSeconds
      let events = await openEvents(id, signal)
      for (;;) {
        for await (const seen of events ?? []) {
          yield seen
          if (isFinished(seen)) return
        }
        const seen = await persist(() => job(id, wait, signal), signal).catch((error) => {
          if (!(error instanceof ServiceError && error.status === 400 && wait > 0)) throw error
          wait = 0
          return null
        })
        if (seen === null) continue
        yield seen
        if (isFinished(seen)) return
        if (wait === 0) await delay(waitSeconds * 1_000, undefined, signal ? { signal } : {})
        // The stream was cut: another one may go on.
        if (events !== null) events = await openEvents(id, signal)
      }
    },
  }
}

export type Model = Awaited<ReturnType<Client['model']>>
export type Client = ReturnType<typeof createClient>
