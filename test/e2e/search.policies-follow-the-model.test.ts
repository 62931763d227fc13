import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { IndexPolicy } from '../../shared/models/search/index-policy.ts'

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const driver = openDriver(neo4j)

const [movie, person] = [uniqueName('Movie'), uniqueName('Person')]
const odd = `Odd \`${uniqueName('label')}`
let version = ''
const at = '/1.0/search/cluster/directIndexPolicy/films'

interface Made {
  manager: { grn: string }
  managerVersion: { grn: string }
  nodeType: { grn: string }
  property: { grn: string }
}

const post = async (path: string, body: object) =>
  (await client.post<Made>(`/1.0/manager/${path}`, body)).body as unknown as Made

// Only one manager can be named `default`: this file uses it, with its own version.
beforeAll(async () => {
  const found = await client.get<Made>('/1.0/manager/name/default')
  const { manager } = found.status === 200 ? found.body : await post('grn:gg:org:films', { name: 'default' })
  const { managerVersion } = await post(`version/${manager.grn}`, {})
  version = managerVersion.grn
  const types = await Promise.all(
    [person, odd, movie].map((key) => post(`nodeType/${managerVersion.grn}`, { key, namespace: 'films' })),
  )
  const { property } = await post(`property/${managerVersion.grn}`, { key: 'title', dataType: 'String' })
  await post(`property/${(types[2] as Made).nodeType.grn}/${property.grn}`, {})
})
afterAll(() => driver.close())

async function policyOf(path: string, body?: object) {
  const answer = body ? await client.post<IndexPolicy>(path, body) : await client.get<IndexPolicy>(path)
  return { status: answer.status, policy: answer.body as unknown as IndexPolicy, problem: answer.body as object }
}

const labelsOf = ({ indexes }: IndexPolicy) =>
  Object.values(indexes).map(({ indexStrategies }) => indexStrategies.defaultFull?.anchorLabel)

describe('the policy', () => {
  test.each(['defaultFull', 'default_full', 'defaultBroker', 'default_partial'])(
    'the policy has all node types of the latest version and all strategies, requested as %s',
    async (strategy) => {
      const { status, policy } = await policyOf(`${at}/${strategy}`)
      expect([status, labelsOf(policy)]).toEqual([200, [movie, odd, person].sort()])
      const index = policy.indexes[movie.toLowerCase()]
      expect(Object.keys(index?.indexStrategies ?? {})).toEqual(['defaultBroker', 'defaultPartial', 'defaultFull'])
      expect(Object.keys(index?.schema ?? {})).toEqual(['title'])
      expect(policy.metadata.displayName).toBe('films')
    },
  )

  test('the policy is refused for any but the three strategies', async () => {
    const { status, problem } = await policyOf(`${at}/everything`)
    expect([status, problem]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ path: 'indexStrategy', message: 'must be one of defaultBroker, defaultPartial, defaultFull' }],
      }),
    ])
  })
})

describe('a custom policy', () => {
  test('a custom policy has the requested node types, and the given name for its only index', async () => {
    const path = '/1.0/search/cluster/directIndex/films/my-index/defaultFull'
    const { status, policy } = await policyOf(path, { nodeTypes: [movie] })
    expect([status, Object.keys(policy.indexes)]).toEqual([200, ['my-index']])
    const strategy = policy.indexes['my-index']?.indexStrategies.defaultFull
    expect([strategy?.parallel, strategy && 'broker' in strategy]).toEqual(['true', false])
  })

  test('a custom policy is also available at the path of the usage example, by POST or GET', async () => {
    const posted = await policyOf(`${at}/default_broker`, { nodeTypes: [person, movie] })
    expect([posted.status, labelsOf(posted.policy)]).toEqual([200, [person, movie]])
    const got = await getWithBody(`${at}/default_broker`, { nodeTypes: [person, movie] })
    expect([got.status, labelsOf(got.policy)]).toEqual([200, [person, movie]])
  })

  test.each<[object, number, string]>([
    [{}, 400, 'nodeTypes: required'],
    [{ nodeTypes: [] }, 400, 'nodeTypes: must have at least one node type'],
    [{ nodeTypes: [1] }, 400, 'nodeTypes[0]: must be a string'],
    [{ nodeType: [] }, 400, 'nodeTypes: required; nodeType: unknown field, did you mean `nodeTypes`?'],
    [
      { nodeTypes: ['None'] },
      404,
      'nodeTypes: there is no node type "None" in the latest version of the manager "default"',
    ],
  ])('a custom policy is refused for %j', async (body, status, detail) => {
    const refused = await policyOf(`${at}/defaultFull`, body)
    expect([refused.status, (refused.problem as { detail: string }).detail]).toEqual([status, detail])
  })
})

describe('a node type', () => {
  const twin = uniqueName('Zed')
  const [upper, lower] = [`${twin}X`, `${twin}x`]
  const broken = `${uniqueName('back')}\\slash`

  test('a node type has the same index name in every policy, and keeps it when the model grows', async () => {
    const made = [await post(`nodeType/${version}`, { key: lower }), await post(`nodeType/${version}`, { key: upper })]
    const namesOf = async (nodeTypes: string[]) =>
      Object.entries((await policyOf(`${at}/defaultFull`, { nodeTypes })).policy.indexes).map(([name, index]) => [
        name,
        index.indexStrategies.defaultFull?.anchorLabel,
      ])
    const plain = lower.toLowerCase()
    expect(await namesOf([upper])).toEqual([[`${plain}-2`, upper]])
    expect(await namesOf([lower])).toEqual([[plain, lower]])
    expect(await namesOf([upper, lower])).toEqual([
      [`${plain}-2`, upper],
      [plain, lower],
    ])
    const { policy } = await policyOf(`${at}/defaultFull`)
    expect(policy.indexes[`${plain}-2`]?.indexStrategies.defaultFull?.anchorLabel).toBe(upper)
    for (const { nodeType } of made) await client.call('DELETE', `/1.0/manager/${nodeType.grn}`)
  })

  test('a node type that no statement can name is left out, and listed in the policy', async () => {
    const { nodeType } = await post(`nodeType/${version}`, { key: uniqueName('Broken') })
    await run(driver, 'MATCH (n:GraphPacketsRecord {grn: $grn}) SET n.key = $broken', { grn: nodeType.grn, broken })
    const { status, policy } = await policyOf(`${at}/defaultFull`)
    expect([status, labelsOf(policy), policy.metadata.leftOut]).toEqual([200, [movie, odd, person].sort(), [broken]])
    expect((await policyOf(`${at}/defaultFull`, { nodeTypes: [broken] })).status).toBe(422)
    await client.call('DELETE', `/1.0/manager/${nodeType.grn}`)
    expect((await policyOf(`${at}/defaultFull`)).policy.metadata).not.toHaveProperty('leftOut')
  })
})

test('a new version, which is empty at first, does not remove the policy', async () => {
  const { body } = await client.get<{ managerVersion: { manager: string } }>(`/1.0/manager/version/${version}`)
  const { managerVersion } = await post(`version/${body.managerVersion.manager}`, {})
  expect(labelsOf((await policyOf(`${at}/defaultFull`)).policy)).toEqual([movie, odd, person].sort())
  await client.call('DELETE', `/1.0/manager/version/${managerVersion.grn}`)
})

test('producers select exactly the nodes they claim to', async () => {
  const nodes = (
    label: string,
  ) => `(:\`${label.replaceAll('`', '``')}\` {grn: '1', updatedAt: 1, lastSearchIndexedAt: 1}),
    (:\`${label.replaceAll('`', '``')}\` {grn: '2', updatedAt: 2, lastSearchIndexedAt: 1})`
  await run(driver, `CREATE ${[movie, odd].map(nodes).join(', ')}`)
  const { policy } = await policyOf(`${at}/defaultFull`)
  for (const label of [movie, odd]) {
    const strategies = policy.indexes[label.toLowerCase()]?.indexStrategies ?? {}
    const selected = await Promise.all(
      Object.values(strategies).map(async ({ producer, anchor }) => {
        const session = driver.session()
        const query = producer.replaceAll('{idList}', '$idList')
        const { records } = await session.executeRead((transaction) => transaction.run(query, { idList: ['2', '3'] }))
        await session.close()
        return records.map((record) => record.get(anchor).properties.grn).sort()
      }),
    )
    expect(selected).toEqual([['2'], ['2'], ['1', '2']])
  }
})

/** Uses `node:http`, as `fetch` sends no body with GET. */
async function getWithBody(path: string, body: object) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; policy: IndexPolicy }>()
  const headers = { Authorization: `Bearer ${tokens.all}`, 'Content-Type': 'application/json' }
  const sent = JSON.stringify(body)
  request(`${apiUrl}${path}`, { method: 'GET', headers: { ...headers, 'Content-Length': Buffer.byteLength(sent) } })
    .on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, policy: JSON.parse(await text(response)) })
    })
    .on('error', reject)
    .end(sent)
  return promise
}
