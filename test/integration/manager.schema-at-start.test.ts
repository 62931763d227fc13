import { afterAll, expect, inject, test, vi } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { openModels } from '../support/models/open-models.ts'
import { runDoctor } from '../support/programs/doctor.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

// This database is not shared with other tests of the manager.
const target = inject('stack').target as Neo4jAddress
const driver = openDriver(target)
afterAll(() => driver.close())

const constraints = async () =>
  (
    await run(
      driver,
      "SHOW CONSTRAINTS YIELD * WHERE 'GraphPacketsRecord' IN labelsOrTypes RETURN name, type, properties",
    )
  )
    .map(([name, type, properties]) => [name, type, properties])
    .sort()

const expected = ['grn', 'id', 'uniqueKey'].map((property) => [
  `graph_packets_record_${property}`,
  'UNIQUENESS',
  [property],
])

test('processes starting concurrently on an empty database create its constraints before any write', async () => {
  for (const [name] of await constraints()) await run(driver, `DROP CONSTRAINT ${name}`)
  expect(await constraints()).toEqual([])
  const processes = Array.from({ length: 5 }, () => openModels(target))
  const name = uniqueName('model')
  const create = processes.flatMap((models) => [models.createManager(name, 'a'), models.createManager(name, 'b')])
  const outcomes = await Promise.allSettled(create)
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.status] : []))
  expect(refusals).toEqual(Array.from({ length: 9 }, () => 409))
  expect(await constraints()).toEqual(expected)
})

test('a process that starts later changes nothing', async () => {
  const later = openModels(target)
  await later.createManager(uniqueName('model'), 'a')
  expect(await constraints()).toEqual(expected)
})

test('an idle process recreates missing constraints before it writes to a database that was replaced', async () => {
  const models = openModels(target)
  const name = uniqueName('model')
  await models.createManager(name, 'a')
  for (const [constraint] of await constraints()) await run(driver, `DROP CONSTRAINT ${constraint}`)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 })
  try {
    await expect(models.createManager(name, 'a')).rejects.toMatchObject({ status: 409 })
  } finally {
    vi.useRealTimers()
  }
  expect(await constraints()).toEqual(expected)
})

test('the doctor reports a constraint that cannot be created because its name is taken', async () => {
  const { boltUrl, username, password } = target
  const settings = { MANAGER_DB_URL: boltUrl, MANAGER_DB_USER: username, MANAGER_DB_PASSWORD: password }
  await run(driver, 'DROP CONSTRAINT graph_packets_record_grn')
  await run(driver, 'CREATE CONSTRAINT graph_packets_record_grn FOR (n:Another) REQUIRE n.grn IS UNIQUE')
  const { code, lines } = await runDoctor(settings)
  await run(driver, 'DROP CONSTRAINT graph_packets_record_grn')
  expect(lines.at(-1)).toMatch(/^fail {2}manager constraints: none on grn: let MANAGER_DB_USER create constraints/)
  expect(code).toBe(1)
  const healed = await runDoctor(settings)
  expect(healed.lines.at(-1)).toBe('ok    manager constraints: all there')
  expect(await constraints()).toEqual(expected)
})
