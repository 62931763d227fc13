import { expect, inject, test, vi } from 'vitest'
import { prepareModels } from '../support/open-models.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const { models, by, newModel } = prepareModels(inject('stack').neo4j)

test('a publish is not bound to the rest of a version that is deleted while it is read', async () => {
  const { name, version } = await newModel()
  const nodeTypes = Array.from({ length: 120 }, (_, at) => ({ key: `T${at}`, properties: [] }))
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
