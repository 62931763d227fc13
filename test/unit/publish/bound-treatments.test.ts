import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distinctTreatments } from '../../../shared/publish/write/conflicts.ts'
import { boundTreatments, groupTreatments } from '../../../shared/publish/write/treatments.ts'
import { type BoundModel, boundRequests } from '../../../shared/request/bound-model.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function bytesInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const modelOf = (types: Record<string, string>): BoundModel => ({
  version: 'grn:gg:managerversion:1',
  types: Object.entries(types).map(([label, key]) => ({ label, properties: [{ key, unique: true }] })),
  properties: [...new Set(Object.values(types))],
})
const asked = (fields: Partial<PublishRequest>): PublishRequest => ({ dbUrl: 'bolt://db', credentials: '', ...fields })

const labels = fc.constantFrom('A', 'B', 'C')
const keys = fc.constantFrom('id', 'key')
const models = fc.dictionary(labels, keys, { minKeys: 1 }).map(modelOf)
const requests = fc.array(
  fc.record(
    {
      database: fc.constantFrom('one', 'two'),
      index: labels,
      metadata: fc.boolean(),
      mappedIndices: fc.oneof(
        fc.dictionary(labels, keys),
        fc.record({ DEFAULT_INDEX: labels, DEFAULT_ID_FIELD: keys, A: keys }),
        fc.record({ DEFAULT_INDEX: labels, B: keys }),
      ),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 6 },
)

const texts = (treatments: readonly object[]) =>
  [...new Set(treatments.map((treatment) => JSON.stringify(treatment)))].sort()

test('treatments that a model completes are those of the requests that it completes', () => {
  fc.assert(
    fc.property(models, requests, (model, given) => {
      const sent = given.map(asked)
      const completed = boundTreatments(distinctTreatments(sent), model)
      expect(texts(completed)).toEqual(texts(distinctTreatments(boundRequests(sent, model))))
      expect(texts(boundTreatments(completed, model))).toEqual(texts(completed))
    }),
    { numRuns: 300, seed: 7 },
  )
})

test('treatments that share the long mappedIndices of a model take memory for them once', () => {
  const mappedIndices = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`Label${at}`, 'id']))
  const treatments = Array.from({ length: 400 }, (_, at) => ({
    origin: `bolt://db ${at}`,
    mappedIndices,
    indexLabel: 'Label1',
    nodeSettings: null,
  }))
  const before = bytesInUse()
  const { isKnownElsewhere } = groupTreatments(treatments)
  expect(bytesInUse() - before).toBeLessThan(3_000_000)
  expect(treatments.filter(({ origin }) => isKnownElsewhere(origin, 'Label1', 'id')).length).toBe(400)
})
