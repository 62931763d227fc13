import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createPairMaker } from '../../../../packet/pair-maker.ts'
import { createPacketWriter } from '../../../../packet/parts/packet-writer.ts'
import { partLimits } from '../../../../packet/parts/part-buffer.ts'
import { packetErrors } from '../../../../shared/publish/pairs/packet-errors.ts'
import { createReport } from '../../../../shared/publish/report/report.ts'
import { createObservations, detectConflicts, distinctTreatments } from '../../../../shared/publish/write/conflicts.ts'
import { writeRequest } from '../../../../shared/publish/write/request.ts'
import { listIds } from '../../../../shared/read/internal-ids.ts'
import { defaultSizes, nothingLearned } from '../../../../shared/read/reading.ts'
import { createRelationshipSchema } from '../../../../shared/read/schema.ts'
import { createUniqueness } from '../../../../shared/read/uniqueness.ts'
import { planOf } from '../../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../../shared/request/rules.ts'
import { ringOrigin } from '../../../support/origins/ring-origin.ts'
import { request as fieldsOf } from '../../../unit/valid-request.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function bytesInUse(): number {
  collectGarbage()
  collectGarbage() // Completes the sweep of the first, which updates the count of array buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const count = 50_000
// Each node links to ten nodes half the ring away, so at the midpoint nearly all links target later nodes.
const steps = Array.from({ length: 10 }, (_, index) => count / 2 + 97 * index)

/** Publishes the relationships of all nodes. @returns the peak memory growth in bytes, and the pairs written. */
async function publish(fields: object) {
  const origin = ringOrigin(count, steps)
  const { request } = parsePublishRequest(
    fieldsOf({
      mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
      metadata: false,
      relationships: ['KNOWS'],
      ...fields,
    }),
  )
  const nodes = await listIds(Array.from({ length: count }, (_, node) => node))
  const writer = createPacketWriter({
    limits: partLimits(5_000),
    maxPairs: 10 * count + count,
    errors: packetErrors,
    sink: async () => {},
  })
  const plan = planOf(request)
  const context = {
    origin,
    sizes: defaultSizes,
    writer,
    plan,
    ...nothingLearned(),
    pairs: createPairMaker('dollar'),
    report: createReport(),
    uniqueness: createUniqueness(origin),
    conflicts: detectConflicts(distinctTreatments([request]), createObservations())(plan, 0),
    schema: createRelationshipSchema(origin),
    pathOf: (field: string) => field,
  }
  let [before, most, chunks] = [0, 0, 0]
  const measure = () => {
    // Fixed costs of a request are allocated after a few thousand nodes.
    if (++chunks === 3) before = bytesInUse()
    else if (chunks > 3 && chunks % 5 === 0) most = Math.max(most, bytesInUse() - before)
  }
  await writeRequest(context, { plan, found: null, targets: { nodes, rows: null, missing: [] } }, 0, measure)
  await writer.end()
  return { most, pairs: writer.pairs }
}

test.each([
  ['by far ends', {}, 10 * count + count, 16e6],
  ['by relationship ids', { relationshipIdField: 'grn', deleteRelationshipById: true }, 10 * count + count, 20e6],
  ['by far ends and relationship ids', { relationshipIdField: 'grn' }, 10 * count + count, 20e6],
  ['where none is left', { relationshipDeleteOnly: true }, 0, 6e6],
])('memory of keep lists for later nodes, %s, is a few bytes per relationship', async (_, fields, pairs, mostBytes) => {
  let used = await publish(fields)
  // Other tests share this process, and their memory may grow during this one; the lists take theirs in every round.
  for (let round = 0; round < 2 && used.most >= mostBytes; round++) used = await publish(fields)
  expect(used.pairs).toBe(pairs)
  expect(used.most).toBeLessThan(mostBytes)
})
