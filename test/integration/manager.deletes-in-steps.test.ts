import { expect, inject, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { ModelRecord } from '../../shared/models/records.ts'
import * as resources from '../../shared/models/resources.ts'
import { byGrn, byKey, byName } from '../../shared/models/selector.ts'
import { drawModel } from '../support/models/large-model.ts'
import { openDyingModels, prepareModels } from '../support/models/open-models.ts'

vi.setConfig({ testTimeout: 240_000 })

const { neo4j } = inject('stack')
const prepared = prepareModels(neo4j)
const { models, driver, newModel, nodes, by } = prepared
const { manager, managerVersion, nodeType, property, propertyImpl } = resources

const ofProperty = (implemented?: ModelRecord) =>
  byGrn(propertyImpl, (implemented?.propertyImpl as ModelRecord | undefined)?.grn ?? '')

test('leftovers of a crashed delete are invisible; names are free, and repeating the delete completes it', async () => {
  const { name, manager: of, version } = await newModel()
  const own = await drawModel(driver, version.value, { types: 100, properties: 50 })
  const type = byKey(nodeType, version.value, 'T7')
  const { grn } = await models.find(type)
  const [implemented] = await models.implemented(type)
  const implementation = ofProperty(implemented)
  await expect(openDyingModels(neo4j).remove(of, null)).rejects.toThrow('the process is gone')
  expect((await nodes(own)).all).toBeGreaterThan(1_000)
  const seen = [
    models.find(of),
    models.find(byName(manager, name)),
    models.find(version),
    models.find(byGrn(nodeType, grn)),
    models.find(implementation),
    models.parts(property, version),
    models.constraints(version),
    models.createPart(nodeType, version, { key: 'new' }, by),
    models.update(implementation, { unique: true }, prepared.change),
  ]
  const statuses = await Promise.all(seen.map((outcome) => outcome.then(() => 200).catch(({ status }) => status)))
  expect(statuses).toEqual(seen.map(() => 404))
  const again = await newModel(name)
  await models.remove(of, null)
  expect(await nodes(own)).toEqual({ all: 0, orphans: 0 })
  await expect(models.remove(of, null)).rejects.toMatchObject({ status: 404 })
  expect((await models.find(again.manager)).name).toBe(name)
})

test('a delete that was interrupted is completed by a token of its org, and by none of another org', async () => {
  const [name, org] = [uniqueName('model'), uniqueName('org')]
  await models.createManager(name, by, org)
  const { grn } = await models.find(byName(managerVersion, name))
  const version = byGrn(managerVersion, grn)
  const own = await drawModel(driver, grn, { types: 60, properties: 50 })
  await expect(openDyingModels(neo4j).remove(version, null)).rejects.toThrow('the process is gone')
  const left = await nodes(own)
  expect(left.all).toBeGreaterThan(0)
  await expect(models.visibleTo({ orgs: [uniqueName('org')] }).remove(version, null)).rejects.toMatchObject({
    status: 404,
  })
  expect(await nodes(own)).toEqual(left)
  await models.visibleTo({ orgs: [org] }).remove(version, null)
  expect(await nodes(own)).toEqual({ all: 0, orphans: 0 })
})
