import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { jobAnswer } from '../../../api/submission/job-answer.ts'
import type { Config } from '../../../shared/config/config.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket } from '../../support/storage/stored-packets.ts'
import { only } from '../../support/values/only.ts'

const content = '{"statements":[]}'

/** The answer of an API that has read nothing yet to a job that has made `org/f`, and its requests to the store. */
async function answered(packetOf: (packet: NonNullable<JobRecord['packet']>) => JobRecord['packet']) {
  const memory = openMemoryStore()
  const storage = storageOn(memory)
  const generation = await commitPacket(storage, 'org/f', [content])
  const { createdAt, parts } = (await storage.generations.read('org/f', generation)) ?? { createdAt: '', parts: [] }
  const packet = packetOf({ createdAt, parts: parts.map(({ key, bytes }) => ({ key, bytes })) })
  const context = only<ApiContext>({
    ...storageOn({ ...memory, sign: async (key) => `signed ${key}` }),
    config: only<Config>({ limits: only<Config['limits']>({ inlineBytes: 1_000 }) }),
  })
  memory.forget()
  const job = only<JobRecord>({ orgName: 'org', fileName: 'f', error: null, state: 'succeeded', generation, packet })
  const answer = await jobAnswer(context, job, {}, false)
  const { response } = answer as unknown as { response: { transactionRequest: AsyncIterable<Buffer>; error: string } }
  return { response, requests: memory.requests, key: packet?.parts[0]?.key }
}

test('the answer to a publish needs no request but for the part, as the record of the job says what it needs', async () => {
  const { requests } = await answered((packet) => packet)
  expect(requests).toEqual([])
})

test('a record without the packet, of an earlier version or of many parts, is answered from the manifest', async () => {
  const { requests } = await answered(() => null)
  expect(requests).toEqual([expect.stringMatching(/^get org\/\.generations\/f\//)])
})

test('a packet that has expired is gone, as its record says', async () => {
  const expiresAt = new Date(Date.now() - 1).toISOString()
  const { response, requests } = await answered((packet) => packet && { ...packet, expiresAt })
  expect([response.error, requests]).toEqual([expect.stringMatching(/^410 Gone/), []])
})
