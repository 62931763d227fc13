import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { breakouts, createPositions, deletePositions, positions, refusedNames } from '../../replay/injection.ts'
import { quoted } from '../../replay/odd-names.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [origin, copy] = [openDriver(neo4j), openDriver(target)]
afterAll(() => Promise.all([origin.close(), copy.close()]))

const label = uniqueName('Inject')
const org = uniqueName('org')
const names = breakouts(label)
const keys = names.map((name) => `${quoted(name)}: $it`).join(', ')
const labels = names.map((name) => `:${quoted(name)}`).join('')
const canary = `CREATE (:${label}Canary {id: 'canary'})-[:T]->(:${label}Canary {id: 'other'})`

/** Two nodes with every name as label and key, and a relationship of each type, so that every name has a match. */
beforeAll(async () => {
  await client.post(`/1.0/publish/${org}`)
  for (const it of ['a', 'b']) await run(origin, `CREATE (:${label}${labels} {id: $it, ${keys}})`, { it })
  const types = ['T', ...names].map((type) => `(a)-[:${quoted(type)} {${keys}}]->(b)`).join(', ')
  await run(origin, `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) CREATE ${types}`, { it: 'r' })
  for (const driver of [origin, copy]) await run(driver, canary)
})

/** Nothing but the requested change was deleted, created or renamed. */
async function expectNothingElse() {
  for (const driver of [origin, copy]) {
    const canaries = `MATCH (c:${label}Canary)-[r:T]->() RETURN count(r)`
    expect(await run(driver, canaries)).toEqual([[1n]])
    const others = `MATCH (n) WHERE any(l IN labels(n) WHERE l CONTAINS $label) AND NOT n:${label}Canary`
    expect(
      await run(driver, `${others} RETURN collect(DISTINCT n.id IN ['a', 'b'] AND n:${label})`, { label }),
    ).toEqual([[[true]]])
    expect(await run(driver, `${others} RETURN count(n)`, { label })).toEqual([[2n]])
    expect(
      await run(driver, `MATCH (n) WHERE any(l IN labels(n) WHERE l = 'Pwned' + $label) RETURN count(n)`, { label }),
    ).toEqual([[0n]])
  }
}

const request = {
  ...database(neo4j, label, 'id'),
  originIds: ['a', 'b'],
  metadata: true,
  relationships: ['T'],
  returnOnly: true,
  parameterSyntax: 'dollar',
}
const deletion = {
  mappedIndices: request.mappedIndices,
  index: label,
  originIds: ['nobody'],
  returnOnly: true,
  parameterSyntax: 'dollar',
}
const creation = {
  startIndex: label,
  startIdField: 'id',
  endIndex: label,
  endIdField: 'id',
  type: 'T',
  parameterSyntax: 'dollar',
  idPairs: [{ startId: 'a', endId: 'b' }],
}

const endpoints = [
  ...positions.map((position) => ({ ...position, path: '/1.0/publish/', body: request })),
  ...deletePositions.map((position) => ({ ...position, path: `/1.0/publish/${org}/delete`, body: deletion })),
  ...createPositions.map((position) => ({
    ...position,
    path: `/1.0/publish/${org}/createrelationships`,
    body: creation,
  })),
].map((endpoint) => ({ ...endpoint, name: `${endpoint.field} of ${endpoint.path.replace(org, '{orgName}')}` }))

describe('a name that attempts to break out of its quotes has no side effects, in', () => {
  test.each(endpoints)(
    'a name that attempts to break out of its quotes has no side effects in $name',
    async ({ path, body, one, ...position }) => {
      const each = names.map((name) => [name])
      for (const given of one === undefined ? [names] : one === 'each' ? each : each.slice(0, 1)) {
        const fileName = uniqueName('file')
        const own = path.endsWith('createrelationships') ? { fileName } : {}
        const answer = await client.post(path, { ...body, ...own, ...position.with(given, label) })
        const pairs = answeredPairs(answer)
        expect(pairs.length).toBeGreaterThan(0)
        await replayInOrder(copy, pairs)
        const postback = pairs.at(-1)?.metadata?.postback as { statements: typeof pairs } | undefined
        await replayInOrder(copy, postback?.statements ?? [])
      }
      await expectNothingElse()
    },
  )
})

describe('a name that no statement can hold is refused with its field named, in', () => {
  test.each(endpoints)(
    'a name that no statement can hold is refused with its field named, in $name',
    async ({ field, path, body, ...position }) => {
      for (const name of refusedNames) {
        const own = path.endsWith('createrelationships') ? { fileName: 'never' } : {}
        const answer = await client.post(path, { ...body, ...own, ...position.with([name], label) })
        expect([name, answer.status, answer.body.error]).toEqual([name, 400, expect.stringContaining(field)])
      }
    },
  )
})
