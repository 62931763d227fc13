import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { readProperties, sourceOf } from '../../../shared/origin/properties.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { propertiesOf, rowsOf } from '../../support/origins/packstream.ts'
import { head, structure } from '../packet/packstream/bytes.ts'
import { request } from '../valid-request.ts'

const identity = { label: 'Person', idProperty: 'id', id: { json: '"a"', wrap: null, list: false } }
const openUpserts = () => new NodeUpserts(planOf(parsePublishRequest(request()).request), createPairMaker('dollar'))

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function mebibytesInUse(): number {
  collectGarbage()
  collectGarbage() // Completes the sweep of the first, which updates the count of array buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

test('what upserts remember of nodes of one shape takes bounded memory, although each has other labels', () => {
  const upserts = openUpserts()
  const keys = Array.from({ length: 99 }, (_, index) => [`key${index}`, true] as const)
  const properties = propertiesOf(new Map<string, unknown>([['id', 'a'], ...keys]))
  const before = mebibytesInUse()
  const shapeOf = (node: number) =>
    upserts.shapeOf(identity, { labels: ['Person', `L${node}`], properties }, () => 'the node')
  for (let node = 0; node < 4_000; node++) shapeOf(node)
  expect(mebibytesInUse() - before).toBeLessThan(60)
  expect(shapeOf(0).keys).toHaveLength(100)
})

test('a node that is small, but larger than any pair as JSON, is refused by its name', () => {
  const duration = structure(0x45, Buffer.of(0), Buffer.of(0), Buffer.of(0), Buffer.of(0))
  // Each takes 50 bytes as JSON.
  const count = Math.ceil((64 * 2 ** 20) / 50)
  const list = Buffer.concat([head(0xd6, 4, count), Buffer.alloc(6 * count, duration)])
  const rows = rowsOf([])
  const map = Buffer.concat([head(0xd8, 1, 1), Buffer.of(0x82), Buffer.from('at'), list])
  expect(map.length).toBeLessThan(9e6)
  rows.add(map)
  const properties = readProperties(originCursor().open(rows.bytes, 0, map.length), new Shapes(), sourceOf(rows))
  const upserts = openUpserts()
  const node = { labels: ['Person'], properties }
  const made = upserts.shapeOf(identity, node, () => 'the node')
  expect(() => upserts.bytesOf(made, identity, node, () => 'the node 7')).toThrow(
    expect.objectContaining({ status: 413, code: 'pairTooLarge', message: expect.stringContaining('the node 7') }),
  )
})
