import { expect, test } from 'vitest'
import { readPlan, storeRequest } from '../../../shared/jobs/stored/stored-request.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { planKey } from '../../../shared/storage/keys.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

const store = openMemoryStore()
const job = { id: 'j', orgName: 'o' }
const encrypt = () => ({ sealedKey: 'sealed', text: 'encrypted', seal: () => '' })

test('the plan of a multi that is bound to a large model holds none of its texts', async () => {
  const key = 'k'.repeat(255)
  const types = Array.from({ length: 1_000 }, (_, at) => ({
    label: `T${at}`,
    properties: [{ key, unique: true as const }],
  }))
  const model = { version: 'grn:gg:managerversion:1', types, properties: [key] }
  const requests = Array.from({ length: 50 }, (_, at): PublishRequest => {
    const place = { dbUrl: 'bolt://db', credentials: 'Basic YTpi', database: `d${at}` }
    return { ...place, model: 'm', index: `T${at % 10}`, originIds: ['a'], metadata: true }
  })
  await storeRequest(store, encrypt, job, requests, model)
  expect((await store.get(planKey(job.orgName, job.id)))?.length).toBeLessThan(50_000)
  const { treatments } = await readPlan({ store }, job)
  expect(treatments.length).toBe(50)
})
