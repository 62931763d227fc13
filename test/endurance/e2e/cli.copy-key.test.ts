import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { prepareCopies } from '../../support/clients/cli-copy.ts'
import { forward, startFakeService } from '../../support/servers/fake-service.ts'

const {
  label,
  driver: origin,
  target,
  clearTarget,
  differing,
  prepareCopy,
  obstruct,
  makeWay,
} = await prepareCopies(300)

beforeEach(async () => {
  await clearTarget()
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
})

const quietly = ['--progress', 'none']
const already = expect.stringMatching(/409 .* already exists .*; pass --force to replace it, or .* with replay\n$/)

test('a copy continues after a --restart that the service refused', async () => {
  const { copy, remembered, made } = prepareCopy('kept-key.json')
  await obstruct()
  expect(await copy(quietly)).toMatchObject({ code: 6 })
  expect(await copy(['--restart', ...quietly])).toMatchObject({ code: 7, stderr: already })
  await makeWay()
  expect(await copy(quietly)).toMatchObject({ code: 0 })
  expect([await differing(), await made(), remembered()]).toEqual([[], 1, []])
})

test('a copy continues after a --restart whose answer was lost, whether the service accepted it or not', async () => {
  const { copy, made, cwd } = prepareCopy('lost-answer.json')
  const file = join(cwd, 'state.copy')
  const state = ['--state', 'state', ...quietly]
  await obstruct()
  expect(await copy(state)).toMatchObject({ code: 6 })
  const key = readFileSync(file, 'utf8')
  const { url } = await startFakeService(() => ({ status: 500, body: {} }))
  expect(await copy(['--restart', ...state, '--url', url])).toMatchObject({ code: 7 })
  const [earlier, later] = readFileSync(file, 'utf8').split('\n')
  expect([earlier, later]).toEqual([key, expect.stringMatching(/^[0-9a-f-]{36}$/)])
  await makeWay()
  // The service accepted the later one.
  writeFileSync(file, `${later}\n${key}`)
  const isTold: unknown[] = []
  const passing = await startFakeService((asked) => {
    if (asked.method === 'POST') isTold.push(asked.headers['idempotency-key'])
    return forward(inject('service').apiUrl, asked)
  })
  expect(await copy([...state, '--url', passing.url])).toMatchObject({ code: 0 })
  expect([isTold, await made()]).toEqual([[key], 1])
})

test('a copy that ends with differences compares the same packet again, and --force publishes again', async () => {
  const { copy, made } = prepareCopy('differs-again.json')
  // Neo4j keeps 0.0 where -0.0 is replayed.
  await run(target, `CREATE (:\`${label}\` {id: 'p1', zero: 0.0})`)
  await run(origin, `MATCH (n:\`${label}\` {id: 'p1'}) SET n.zero = -0.0`)
  for (const _ of [1, 2]) expect(await copy(quietly)).toMatchObject({ code: 3 })
  expect(await made()).toBe(1)
  await run(target, `MATCH (n:\`${label}\` {id: 'p1'}) REMOVE n.zero`)
  expect(await copy(quietly)).toMatchObject({ code: 0 })
  expect(await made()).toBe(1)
  await run(target, `MATCH (n:\`${label}\` {id: 'p1'}) REMOVE n.zero`)
  await run(target, `MATCH (n:\`${label}\` {id: 'p1'}) SET n.zero = 0.0`)
  for (const times of [2, 3]) {
    expect(await copy(['--force', ...quietly])).toMatchObject({ code: 3 })
    expect(await made()).toBe(times)
  }
  await run(origin, `MATCH (n:\`${label}\` {id: 'p1'}) REMOVE n.zero`)
})
