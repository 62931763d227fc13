import { expect, inject, test, vi } from 'vitest'
import { openModels, prepareModels } from '../support/models/open-models.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const { models, by, newModel } = prepareModels(inject('stack').neo4j)

test('a publish is not bound to the rest of a version that is deleted while it is read', async () => {
  const { name, version } = await newModel()
  // More than one read returns.
  const nodeTypes = Array.from({ length: 620 }, (_, at) => ({ key: `T${at}`, properties: [] }))
  await models.imported(version, { properties: [], nodeTypes }, by)
  const seen: string[] = []
  const read = async () => {
    for await (const part of (await models.bindable(name)).document) {
      if (seen.length === 0 && part.nodeTypes.length > 0) await models.remove(version, null)
      seen.push(...part.nodeTypes.map(({ key }) => key))
    }
  }
  await expect(read()).rejects.toMatchObject({ status: 404 })
  expect(seen.length).toBeLessThan(nodeTypes.length)
})

test('a publish reads what it needs of a model, and none of its long texts', async () => {
  const { version } = await newModel()
  const texts = { definition: 'd'.repeat(10_000), displayValue: 'v'.repeat(1_000) }
  const properties = Array.from({ length: 20 }, (_, at) => ({ key: `p${at}`, dataType: 'String', ...texts }))
  const types = [
    { key: 'Person', ...texts, properties: [{ key: 'p1', displayValue: texts.displayValue, unique: true }] },
  ]
  await models.imported(version, { properties, nodeTypes: types }, by)
  let bytes = 0
  const watched = openModels(inject('stack').neo4j, (database) => ({
    ...database,
    async read(statement) {
      const rows = await database.read(statement)
      bytes += JSON.stringify(rows).length
      return rows
    },
  }))
  const read = { properties: [] as object[], nodeTypes: [] as object[] }
  for await (const part of (await watched.bindable(version.value)).document) {
    read.properties.push(...part.properties)
    read.nodeTypes.push(...part.nodeTypes)
  }
  expect(read.properties).toHaveLength(20)
  expect(read.properties[0]).toEqual({ key: 'p0', dataType: 'String' })
  expect(read.nodeTypes).toEqual([{ key: 'Person', properties: [{ key: 'p1', unique: true }] }])
  expect(bytes).toBeLessThan(2_000)
})
