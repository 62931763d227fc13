import { describe, expect, inject, test, vi } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import { AppError } from '../../shared/errors/app-error.ts'
import * as resources from '../../shared/models/resources.ts'
import { byGrn, byKey, byName, type Selector } from '../../shared/models/selector.ts'
import { openModels, prepareModels } from '../support/models/open-models.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const prepared = prepareModels(inject('stack').neo4j)
const { by, change, driver, newModel, nodes } = prepared
// Two instances, as in two API processes.
const both = [prepared.models, openModels(inject('stack').neo4j)] as const
const models = prepared.models
const { property, propertyImpl, nodeType, manager, managerVersion } = resources

/** Locks what the calls of a test must write: an existing manager, or the name of a new one. */
const locking = {
  manager: ({ value }: Selector) => ['MATCH (n:GraphPacketsManager {grn: $value}) SET n.lock = true', value] as const,
  name: (name: string) => ['CREATE (:GraphPacketsRecord {uniqueKey: $value})', byName(manager, name).value] as const,
}

const waitingForLocks = async () => {
  const query = "SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked' RETURN currentQuery"
  return (await run(driver, query)).filter(([text]) => `${text}`.includes('GraphPackets')).length
}

/**
 * Outcomes of twenty calls, spread over both instances: 200 or the status of the refusal, sorted. They meet in the
 * database: a transaction holds what they need until ten of them wait for it.
 */
async function twentyTimes(
  [query, value]: readonly [string, string],
  work: (of: typeof models, index: number) => Promise<unknown>,
): Promise<number[]> {
  const session = driver.session()
  const lock = session.beginTransaction()
  await lock.run(query, { value })
  const outcomes = Array.from({ length: 20 }, (_, index) =>
    work(both[index % 2] as typeof models, index).then(
      () => 200,
      (error) => {
        if (error instanceof AppError) return error.status
        throw error
      },
    ),
  )
  try {
    await expect.poll(waitingForLocks, { timeout: 60_000 }).toBeGreaterThanOrEqual(10)
  } finally {
    await lock.rollback()
    await session.close()
  }
  return (await Promise.all(outcomes)).sort()
}

const oneOf = (other: number) => [200, ...Array.from({ length: 19 }, () => other)]
const all = Array.from({ length: 20 }, () => 200)

describe('of twenty concurrent creates of the same record, one succeeds and 19 are conflicts', () => {
  test('of twenty concurrent creates of managers with one name, one succeeds and 19 are conflicts', async () => {
    const name = uniqueName('model')
    const before = await nodes()
    expect(await twentyTimes(locking.name(name), (of) => of.createManager(name, by))).toEqual(oneOf(409))
    expect((await nodes()).all).toBe(before.all + 2)
  })

  test('of twenty properties created with or renamed to one key at once, one succeeds, 19 are conflicts', async () => {
    const { manager: of, version } = await newModel()
    const create = await twentyTimes(locking.manager(of), (its) => its.createPart(property, version, { key: 'a' }, by))
    expect(create).toEqual(oneOf(409))
    await twentyTimes(locking.manager(of), (its, index) => its.createPart(property, version, { key: `b${index}` }, by))
    const rename = await twentyTimes(locking.manager(of), (its, index) =>
      its.update(byKey(property, version.value, `b${index}`), { key: 'c' }, change),
    )
    expect(rename).toEqual(oneOf(409))
    expect(await models.parts(property, version)).toHaveLength(21)
  })

  test('of twenty concurrent implementations of one property on a node type, 19 are conflicts', async () => {
    const { manager: of, version } = await newModel()
    const { grn } = await models.createPart(property, version, { key: 'a' }, by)
    const type = await models.createPart(nodeType, version, { key: 'A' }, by)
    const implement = await twentyTimes(locking.manager(of), (its) =>
      its.implement(byGrn(nodeType, type.grn), grn, {}, by),
    )
    expect(implement).toEqual(oneOf(409))
  })
})

test('twenty concurrent versions get twenty numbers', async () => {
  const { manager: of } = await newModel()
  expect(await twentyTimes(locking.manager(of), (its) => its.createVersion(of, null, by))).toEqual(all)
  const versions = await models.parts(managerVersion, of)
  expect(versions.map(({ number }) => number)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
})

test('twenty concurrent updates all succeed, and each is counted', async () => {
  const { manager: of, version } = await newModel()
  const { grn } = await models.createPart(property, version, { key: 'a' }, by)
  const selector = byGrn(property, grn)
  const write = await twentyTimes(locking.manager(of), (its, index) =>
    its.update(selector, { displayValue: `${index}` }, change),
  )
  expect([write, (await models.find(selector)).enver]).toEqual([all, 20])
})

test('of twenty concurrent updates with If-Match exactly one succeeds', async () => {
  const { manager: of, version } = await newModel()
  const { grn } = await models.createPart(property, version, { key: 'a' }, by)
  const guarded = { ...change, ifMatch: [0] }
  const write = await twentyTimes(locking.manager(of), (its) =>
    its.update(byGrn(property, grn), { displayValue: 'x' }, guarded),
  )
  expect([write, (await models.find(byGrn(property, grn))).enver]).toEqual([oneOf(412), 1])
})

test('constraints match the flags after concurrent changes', async () => {
  const { manager: of, version } = await newModel()
  const { grn } = await models.createPart(property, version, { key: 'a' }, by)
  const type = await models.createPart(nodeType, version, { key: 'A' }, by)
  const made = await models.implement(byGrn(nodeType, type.grn), grn, {}, by)
  const implementation = byGrn(propertyImpl, made.grn)
  const flags = (index: number) => ({ unique: index % 3 === 0, required: index % 5 === 0, indexed: index % 7 === 0 })
  expect(
    await twentyTimes(locking.manager(of), (its, index) => its.update(implementation, flags(index), change)),
  ).toEqual(all)
  const { unique, required, indexed } = await models.find(implementation)
  const expected = [...(required ? ['EXISTS'] : []), ...(indexed ? ['INDEX'] : []), ...(unique ? ['UNIQUE'] : [])]
  expect((await models.constraints(version)).map(({ type }) => type)).toEqual(expected)
})

test.each([manager, managerVersion, nodeType, property])(
  'deleting a $noun while others add to it leaves no orphan',
  async (resource) => {
    const { name, manager: of, version } = await newModel()
    const type = byGrn(nodeType, (await models.createPart(nodeType, version, { key: 'A' }, by)).grn)
    const { grn } = await models.createPart(property, version, { key: 'a' }, by)
    const gone = { manager: of, managerversion: version, nodetype: type, property: byGrn(property, grn) }
    const selector = gone[resource.grnType as keyof typeof gone]
    const statuses = await twentyTimes(locking.manager(of), async (its, index) => {
      if (index === 7) await its.remove(selector, null)
      else if (index % 4 === 0) await its.implement(type, grn, {}, by)
      else if (index % 4 === 1) await its.createVersion(of, `${name}-${index}`, by)
      else await its.createPart(index % 4 === 2 ? property : nodeType, version, { key: `k${index}` }, by)
    })
    expect(statuses.every((status) => [200, 404, 409].includes(status))).toBe(true)
    expect((await nodes()).orphans).toBe(0)
    await expect(models.find(selector)).rejects.toMatchObject({ status: 404 })
  },
)
