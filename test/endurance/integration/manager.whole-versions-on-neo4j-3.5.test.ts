import { expect, inject, test } from 'vitest'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { managerVersion, nodeType } from '../../../shared/models/resources.ts'
import { byGrn } from '../../../shared/models/selector.ts'
import { textOf } from '../../../shared/models/transfer.ts'
import type { VersionDocument } from '../../../shared/models/version-document.ts'
import { prepareModels } from '../../support/models/open-models.ts'

const prepared = prepareModels(inject('stack').legacy as Neo4jAddress)
const { models, by, newModel } = prepared

// More elements than an import writes in one transaction, and more records than a delete removes in one.
const keys = Array.from({ length: 30 }, (_, number) => `p${String(number).padStart(2, '0')}`)
const document = {
  properties: keys.map((key) => ({ key, dataType: 'String' })),
  nodeTypes: Array.from({ length: 200 }, (_, number) => ({
    key: `T${String(number).padStart(3, '0')}`,
    properties: keys.map((key) => (key === 'p00' ? { key, unique: true } : { key })),
  })),
}

test('on Neo4j 3.5 a large version is imported, exported, copied, listed in pages and deleted', async () => {
  const { manager, version } = await newModel()
  const total = { created: 30 + 200 + 200 * 30, changed: 0, unchanged: 0 }
  expect(await models.imported(version, document as unknown as VersionDocument, by)).toEqual(total)
  const repeated = { created: 0, changed: 0, unchanged: total.created }
  expect(await models.imported(version, document as unknown as VersionDocument, by)).toEqual(repeated)

  const copy = byGrn(managerVersion, (await models.copied(version, null, by)).grn)
  for (const whole of [version, copy]) {
    let text = ''
    for await (const part of textOf(await models.exported(whole))) text += part
    expect(JSON.parse(text)).toEqual(document)
  }

  const first = await models.parts(nodeType, version, { limit: 150, after: null })
  const rest = await models.parts(nodeType, version, { limit: 150, after: ['T149'] })
  expect([...first, ...rest].map(({ key }) => key)).toEqual(document.nodeTypes.map(({ key }) => key))
  const constraints = await models.constraints(version, { limit: 1_000, after: null })
  expect(constraints).toHaveLength(200)
  expect(constraints[0]).toMatchObject({ name: 'T000_p00_unique' })

  await models.remove(manager, null)
  await expect(models.find(version)).rejects.toMatchObject({ status: 404 })
  expect(await prepared.nodes()).toEqual({ all: 0, orphans: 0 })
}, 240_000)
