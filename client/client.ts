import { setTimeout as delay } from 'node:timers/promises'
import { jobsIn } from './job-events.ts'
import { persist } from './persist.ts'
import { createRequests, path } from './requests.ts'
import { ServiceError, somethingElse } from './service-error.ts'
import type { FileList, Job, Model, PublishRequest } from './service-types.ts'

const namesPerPage = 10_000
const jobsPerPage = 1_000
const waitSeconds = 2

export const isFinished = ({ state }: Job): boolean => ['succeeded', 'failed', 'cancelled'].includes(state)

/** A typed client of the service. Every method throws a `ServiceError` on any answer that is not a success. */
export function createClient({ url, token }: { url: string; token: string }) {
  let baseUrl = url
  while (baseUrl.endsWith('/')) baseUrl = baseUrl.slice(0, -1)
  const { send, ask } = createRequests(baseUrl, token)

  /** @throws ServiceError for what is no page of a list, or names itself as the next one, which would never end */
  function requirePage(items: unknown, next: unknown, after: string | undefined): void {
    if (!Array.isArray(items) || (after !== undefined && next === after)) throw somethingElse(baseUrl)
  }

  async function job(id: string, wait = 0, signal?: AbortSignal): Promise<Job> {
    const query = { wait: wait || undefined }
    const found = await ask<Job | undefined>('GET', path`/1.0/jobs/${id}`, { query, signal })
    if (typeof found?.state !== 'string') throw somethingElse(baseUrl)
    return found
  }

  /** The states of a job as the service tells them; null if it does not. Ends, without an error, where it is cut. */
  async function openEvents(id: string, signal?: AbortSignal): Promise<AsyncIterable<Job> | null> {
    const headers = { Accept: 'text/event-stream' }
    const answer = await send('GET', path`/1.0/jobs/${id}/events`, { headers, signal }).catch(() => {
      signal?.throwIfAborted()
    })
    const isStream = answer?.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (answer?.body && isStream) return jobsIn(answer.body, signal)
    await answer?.body?.cancel()
    return null
  }

  return {
    /** Names of the files of an org that start with one of `prefixes`, or of all; at most `limit`. */
    async files(orgName: string, prefixes: readonly string[], limit: number, signal?: AbortSignal) {
      const names: string[] = []
      const url = path`/1.0/publish/${orgName}/files`
      const body = { fileNames: prefixes, usePrefixes: true }
      let after: string | undefined
      do {
        const query = { limit: Math.min(namesPerPage, limit - names.length), after }
        const page: FileList | undefined = await ask('POST', url, { query, body, signal })
        requirePage(page?.fileNames, page?.next, after)
        for (const name of page?.fileNames ?? []) names.push(name)
        after = page?.next ?? undefined
      } while (after !== undefined && names.length < limit)
      return { names, hasMore: after !== undefined }
    },

    /** The manifest of a packet, with links to its parts, all of one generation. Its shape is not checked. */
    manifest(orgName: string, fileName: string, lifetime: number, signal?: AbortSignal): Promise<unknown> {
      return ask('GET', path`/1.0/publish/${orgName}/${fileName}/manifest`, { query: { lifetime }, signal })
    },

    job,

    /** A version of a data model: its node types, with their properties. */
    model(managerVersionGrn: string, signal?: AbortSignal): Promise<Model> {
      return ask('GET', path`/1.0/manager/export/${managerVersionGrn}`, { signal })
    },

    /** Jobs, newest first; at most `limit`. */
    async jobs(orgName: string | undefined, limit: number, signal?: AbortSignal) {
      const jobs: Job[] = []
      let after: string | undefined
      do {
        const query = { orgName, after, limit: Math.min(jobsPerPage, limit - jobs.length) }
        const page: { jobs: Job[]; next: string | null } | undefined = await ask('GET', '/1.0/jobs', { query, signal })
        requirePage(page?.jobs, page?.next, after)
        jobs.push(...(page?.jobs ?? []))
        after = page?.next ?? undefined
      } while (after !== undefined && jobs.length < limit)
      return { jobs, hasMore: after !== undefined }
    },

    /** Cancels a job. @returns the job, which may still be stopping */
    cancel(id: string, signal?: AbortSignal): Promise<Job> {
      return ask('POST', path`/1.0/jobs/${id}/cancel`, { signal })
    },

    /**
     * Submits requests as one packet. Repeated under one `Idempotency-Key`, so that a lost answer makes no second job.
     * @returns the id of the job, which may have failed already
     */
    publish(requests: PublishRequest[], key: string, force: boolean, signal?: AbortSignal): Promise<string> {
      const headers = { Prefer: 'respond-async, return=minimal', 'Idempotency-Key': key }
      return persist(async () => {
        const answer = await send('POST', '/1.0/publish/multi', {
          ...{ query: { forceOverwrite: force || undefined }, headers, body: requests, signal },
        }).catch((error) => {
          // The answer of our job, which has failed. Any other error that names a job, names somebody else's.
          if (error instanceof ServiceError && error.headers.has('Idempotent-Replayed')) return error
          throw error
        })
        const location = answer.headers.get('Location')
        if (location === null) throw new ServiceError('the service named no job', 0)
        return location.slice(location.lastIndexOf('/') + 1)
      }, signal)
    },

    /** What a publish would make, as the JSON of the answer: its sample keeps the types of numbers. */
    dryRun(requests: PublishRequest[], force: boolean, signal?: AbortSignal): Promise<string> {
      const query = { dryRun: true, forceOverwrite: force || undefined }
      return persist(() => ask('POST', '/1.0/publish/multi', { query, body: requests, signal }, String), signal)
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

export type Client = ReturnType<typeof createClient>
