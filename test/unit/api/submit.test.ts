import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { type Caller, submit } from '../../../api/submission/submit.ts'
import type { Config, LimitSettings, OriginSettings } from '../../../shared/config/config.ts'
import { idempotencyOf } from '../../../shared/jobs/idempotency.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import type { Generations } from '../../../shared/storage/generations.ts'
import type { Packets } from '../../../shared/storage/packets.ts'
import { only } from '../../support/values/only.ts'
import { request } from '../valid-request.ts'

const secretKeys = [{ id: 'k1', key: Buffer.alloc(32) }]
const requests = [parsePublishRequest(request({ dbUrl: 'bolt://8.8.8.8:7687' })).request]
const order = { kind: 'publish', orgName: 'acme', fileName: 'people', batchSize: 1, force: false, requests } as const
const principal = { name: 'ci', identity: 'ci', orgs: ['acme'], scopes: [], expiresAt: null }
const caller = only<Caller>({ principal, signal: new AbortController().signal, idempotencyKey: 'again' })

/** Submits where the name is taken, and the job of the key is found by the look-up of this number, from 1. */
async function submitWhen(found: number) {
  let lookUps = 0
  const earlier = { id: 'job', fingerprint: (await idempotencyOf(secretKeys, 'ci', 'again', order)).fingerprint }
  const findByIdempotencyKey = async () => (++lookUps >= found ? earlier : null)
  const context = only<ApiContext>({
    config: only<Config>({
      secretKeys,
      maskKeys: [],
      callbacks: null,
      limits: only<LimitSettings>({ retentionDays: null }),
      origin: only<OriginSettings>({ allow: null, port: 7687, dnsServers: null }),
    }),
    generations: only<Generations>({}),
    models: null,
    records: only<JobRecords>({ findByIdempotencyKey }),
    packets: only<Packets>({
      requireOrg: async () => {},
      standingOf: async () => ({ isTaken: true, latest: 1, at: 0 }),
    }),
  })
  return submit(context, caller, order)
}

test.each([1, 2])(
  'a request that was sent twice at once gets its own job, not the name it has taken (%i)',
  async (found) => {
    expect(await submitWhen(found)).toEqual({ id: 'job', replayed: true })
  },
)

test('a request whose name another one has taken is refused', async () => {
  await expect(submitWhen(3)).rejects.toMatchObject({ status: 409, code: 'fileExists' })
})
