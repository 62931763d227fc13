import { afterAll, expect, inject, test } from 'vitest'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { drawModel, type ModelSize } from '../../support/models/large-model.ts'
import { documentsOf, type ManagerClient, newModel } from '../../support/models/models.ts'

/** Registers the test of copying a version of this size, and of importing its export into another manager. */
export function testCopies(client: ManagerClient, { types, properties }: ModelSize): void {
  const driver = openDriver(inject('stack').neo4j)
  afterAll(() => driver.close())
  const { listed, importInto, exportOf } = documentsOf(client)

  test(`a version of ${types} node types x ${properties} properties is copied whole, under the next name`, {
    timeout: 240_000,
  }, async () => {
    const { name, manager, version } = await newModel(client)
    await drawModel(driver, version.grn, { types, properties, constraints: ['UNIQUE'] })
    const copy = await client.made(`copy/${version.grn}`)
    expect([copy.name, copy.manager]).toEqual([`${name}-2`, manager.grn])
    expect(await exportOf(copy)).toEqual(await exportOf(version))
    expect(await listed(`constraints/${copy.grn}`)).toHaveLength(types * properties)
    const { version: elsewhere } = await newModel(client)
    const moved = await importInto(elsewhere, await exportOf(version))
    expect(moved.body).toEqual({
      imported: { created: properties + types + types * properties, changed: 0, unchanged: 0 },
    })
    expect(await exportOf(elsewhere)).toEqual(await exportOf(version))
    for (const one of [manager.grn, elsewhere.manager as string]) await client.delete(one)
  })
}
