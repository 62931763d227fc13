import { expect, test } from 'vitest'
import { bindToModel } from '../../../api/submission/bind-to-model.ts'
import type { Principal } from '../../../shared/auth/principal.ts'
import type { AppError } from '../../../shared/errors/app-error.ts'
import { createModels } from '../../../shared/models/repository.ts'
import type { ModelStatement } from '../../../shared/models/statements.ts'
import type { VersionDocument } from '../../../shared/models/version-document.ts'
import { distinctTreatments } from '../../../shared/publish/write/conflicts.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { only } from '../../support/values/only.ts'

// The API answers nothing else during a binding.
const longestSeconds = 3
const keys = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`)

/** Binds to a version with these node types, each identified by `id`, and properties. @returns also the CPU time. */
async function bind(types: string[], properties: string[], bodies: Partial<PublishRequest>[]) {
  async function* document(): AsyncIterable<VersionDocument> {
    yield { properties: properties.map((key) => ({ key })), nodeTypes: [] }
    yield { properties: [], nodeTypes: types.map((key) => ({ key, properties: [{ key: 'id', unique: true }] })) }
  }
  const bindable = async () => ({ grn: 'grn:gg:managerversion:1', document: document() })
  const models = { checkedBy: () => models, visibleTo: () => ({ bindable }) }
  const database = { dbUrl: 'bolt://db', credentials: 'Basic YTpi', model: 'm', originIds: ['a'], metadata: true }
  const requests: PublishRequest[] = bodies.map((body) => ({ ...database, ...body }))
  const context = { models } as unknown as Parameters<typeof bindToModel>[0]
  const caller = { principal: { scopes: ['manager:read'] } } as unknown as Parameters<typeof bindToModel>[1]
  const before = process.threadCpuUsage()
  const bound = await bindToModel(context, caller, { requests, kind: 'multi' }).catch((error: AppError) => error)
  const treatments = 'requests' in bound ? distinctTreatments(bound.requests).length : 0
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(longestSeconds)
  return { bound, treatments }
}

test('10,000 sub-requests are bound to a model of 5,000 node types as fast as to a small one', async () => {
  const bodies = keys(10_000, 'a').map((id, at) => ({ index: `T${at % 2}`, originIds: [id] }))
  const { treatments } = await bind(keys(5_000, 'T'), ['id'], bodies)
  expect(treatments).toBe(2)
})

test('so many different indices that they would not fit into memory are refused', async () => {
  const bodies = keys(5_000, 'T').map((index) => ({ index }))
  const { bound } = await bind(keys(5_000, 'T'), ['id'], bodies)
  expect(bound).toMatchObject({
    status: 400,
    issues: [
      {
        path: '[40].index',
        message:
          'the sub-requests up to this one have 41 different mappedIndices, which the model completes to over 200000 entries: split the multi',
      },
    ],
  })
})

test('names that a large model does not have are refused in time, the first ones listed', async () => {
  const unknown = keys(10_000, 'unknown')
  const bodies = keys(20, 'T').map((index) => ({ index, protectedNodeProperties: unknown }))
  const { bound } = await bind(keys(20, 'T'), ['id', ...keys(90_000, 'property')], bodies)
  expect(bound).toMatchObject({ status: 400 })
  expect((bound as AppError).issues.length).toBeLessThanOrEqual(1_001)
})

test('names of a large model are found in time', async () => {
  const protectedNodeProperties = keys(10_000, 'property8')
  const bodies = keys(20, 'T').map((index) => ({ index, protectedNodeProperties }))
  const { bound } = await bind(keys(20, 'T'), ['id', ...keys(90_000, 'property')], bodies)
  expect(bound).not.toHaveProperty('status')
})

test('a model is read no further once the client has left', async () => {
  const closed = new AbortController()
  let reads = 0
  const database = {
    async read({ query }: ModelStatement) {
      if (++reads === 4) closed.abort(new Error('the client left'))
      const isPage = query.includes('ORDER BY part.key')
      return isPage ? keys(500, `page${reads}-`).map((key) => [key, 'String']) : [[false]]
    },
    write: async () => [],
    close: async () => {},
  }
  const principal = only<Principal>({ orgs: ['*'], scopes: ['manager:read'] })
  const request: PublishRequest = { dbUrl: 'bolt://db', credentials: '', model: 'grn:gg:managerversion:1' }
  const bound = bindToModel(
    { models: createModels(database) },
    { principal, signal: closed.signal },
    { requests: [request], kind: 'publish' },
  )
  await expect(bound).rejects.toThrow('the client left')
  expect(reads).toBe(4)
})
