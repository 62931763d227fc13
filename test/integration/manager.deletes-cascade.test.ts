import { describe, expect, inject, test, vi } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { ModelRecord } from '../../shared/models/records.ts'
import * as resources from '../../shared/models/resources.ts'
import { byGrn, byKey } from '../../shared/models/selector.ts'
import { fillVersion, type PreparedModels, prepareModels } from '../support/models/open-models.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }
const { manager, managerVersion, property, nodeType, propertyImpl } = resources

/** Nodes of a version with `size` types and properties: each property on its own and later types, three constraints. */
const contentsOf = (size: number) => 2 * size + 4 * ((size * (size + 1)) / 2)

async function lost({ nodes }: PreparedModels, remove: () => Promise<unknown>) {
  const before = await nodes()
  await remove()
  const after = await nodes()
  expect(after.orphans).toBe(0)
  return before.all - after.all
}

describe.each([
  { server: 'Neo4j 5', address: neo4j },
  { server: 'Neo4j 3.5', address: legacy },
])('on $server', ({ address }) => {
  const prepared = prepareModels(address)
  const { models, by, newModel, nodes } = prepared

  test('deleting a record deletes everything it contains, and nothing else', async () => {
    const other = await newModel()
    await fillVersion(prepared, other.version, 1)
    const untouched = (await nodes()).all
    const one = await newModel()
    await fillVersion(prepared, one.version, 3)
    const second = await models.createVersion(one.manager, null, by)
    await fillVersion(prepared, byGrn(managerVersion, second.grn), 1)
    expect((await nodes()).all - untouched).toBe(3 + contentsOf(3) + contentsOf(1))

    const [implemented] = await models.implemented(byKey(nodeType, one.version.value, 'k0'))
    const grn = (implemented?.propertyImpl as ModelRecord | undefined)?.grn as string
    expect(await lost(prepared, () => models.remove(byGrn(propertyImpl, grn), null))).toBe(1 + 3)
    // k1 is implemented on k1 and k2; k2 has k0, k1 and itself.
    const remove = (resource: resources.Resource, key: string) => () =>
      models.remove(byKey(resource, one.version.value, key), null)
    expect(await lost(prepared, remove(property, 'k1'))).toBe(1 + 2 * 4)
    expect(await lost(prepared, remove(nodeType, 'k2'))).toBe(1 + 2 * 4)
    expect(await lost(prepared, () => models.remove(byGrn(managerVersion, second.grn), null))).toBe(1 + contentsOf(1))
    await models.remove(one.manager, null)
    expect(await nodes()).toEqual({ all: untouched, orphans: 0 })
    expect((await models.find(byGrn(manager, other.manager.value))).grn).toBe(other.manager.value)
  })

  test('a refused request changes nothing', async () => {
    const { name, manager: of, version } = await newModel()
    await models.createPart(property, version, { key: 'a' }, by)
    const before = await nodes()
    const refused = [
      models.createManager(name, by),
      models.createVersion(of, name, by),
      models.createPart(property, version, { key: 'a' }, by),
      models.remove(of, [5]),
    ]
    const statuses = await Promise.all(refused.map((outcome) => outcome.catch(({ status }) => status)))
    expect(statuses).toEqual([409, 409, 409, 412])
    expect(await nodes()).toEqual(before)
    // The refused version took no number.
    expect((await models.createVersion(of, null, by)).number).toBe(2)
  })
})
