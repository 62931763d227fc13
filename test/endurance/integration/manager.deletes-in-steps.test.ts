import { expect, inject, test, vi } from 'vitest'
import type { ModelRecord } from '../../../shared/models/records.ts'
import { managerVersion, nodeType, property, propertyImpl } from '../../../shared/models/resources.ts'
import { byGrn, byKey } from '../../../shared/models/selector.ts'
import { median } from '../../bench/numbers.ts'
import { drawModel } from '../../support/models/large-model.ts'
import { openDyingModels, prepareModels } from '../../support/models/open-models.ts'

vi.setConfig({ testTimeout: 240_000 })

const { neo4j } = inject('stack')
const { models, driver, newModel, nodes, by } = prepareModels(neo4j)

test('a manager of 60,000 records is deleted in small transactions', async () => {
  const { manager: of, version } = await newModel()
  const own = await drawModel(driver, version.value, {
    types: 300,
    properties: 50,
    constraints: ['UNIQUE', 'EXISTS', 'INDEX'],
  })
  expect((await nodes(own)).all).toBe(350 + 300 * 50 * 4)
  await models.remove(of, null)
  expect(await nodes(own)).toEqual({ all: 0, orphans: 0 })
  await expect(models.find(version)).rejects.toMatchObject({ status: 404 })
})

test('the time to delete a property grows with the number of its implementations, not with its square', async () => {
  const [few, many] = [await newModel(), await newModel()]
  await drawModel(driver, few.version.value, { types: 200, properties: 6, constraints: ['UNIQUE', 'EXISTS', 'INDEX'] })
  await drawModel(driver, many.version.value, {
    types: 2_000,
    properties: 6,
    constraints: ['UNIQUE', 'EXISTS', 'INDEX'],
  })
  const timeOf = async ({ version }: typeof few, key: string) => {
    const started = performance.now()
    await models.remove(byKey(property, version.value, key), null)
    return performance.now() - started
  }
  const times = { few: [] as number[], many: [] as number[] }
  // In turns, so that both see the same load. The first deletes also compile the queries.
  for (const key of ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']) {
    times.few.push(await timeOf(few, key))
    times.many.push(await timeOf(many, key))
  }
  const ratio = median(times.many) / median(times.few)
  expect(ratio).toBeLessThan(30)
  for (const { manager: of } of [few, many]) await models.remove(of, null)
})

test('a property being deleted in steps disappears from all lists at once', async () => {
  const { manager: of, version } = await newModel()
  const own = await drawModel(driver, version.value, { types: 2_100, properties: 2, constraints: ['UNIQUE'] })
  const removed = byKey(property, version.value, 'p0')
  const last = byKey(nodeType, version.value, 'T2099')
  const [before] = (await models.implemented(last)).map((record) => record.propertyImpl as ModelRecord)
  const implemented = byGrn(propertyImpl, String(before?.grn))
  expect((await models.find(implemented)).grn).toBe(before?.grn)
  await expect(openDyingModels(neo4j).remove(removed, null)).rejects.toThrow('the process is gone')
  expect((await models.parts(property, version)).map(({ key }) => key)).toEqual(['p1'])
  expect(await models.implemented(last)).toHaveLength(1)
  await expect(models.find(implemented)).rejects.toMatchObject({ status: 404 })
  // Its key may be reused; a delete by key then applies to the new one.
  await models.createPart(property, version, { key: 'p0' }, by)
  await models.remove(removed, null)
  await models.remove(removed, null)
  await models.remove(of, null)
  expect(await nodes(own)).toEqual({ all: 0, orphans: 0 })
  await expect(models.find(byGrn(managerVersion, version.value))).rejects.toMatchObject({ status: 404 })
})
