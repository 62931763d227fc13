import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { relationshipDelete } from '../../../packet/kinds/relationship-delete.ts'
import { pairOf, pairText, shapeOf, type WrittenPair, wholePair } from '../../../packet/pair.ts'
import { createPairMaker, type PropertyField } from '../../../packet/pair-maker.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import { elementsOf, elementsOfLine } from '../../../packet/state/keys-of.ts'
import { createLineWriter } from '../../../shared/publish/state/line-writer.ts'
import { pairKindOf } from '../../../shared/publish/state/pair-kinds.ts'
import { createSorter } from '../../../shared/publish/state/sorter.ts'
import { fieldsOf, nodeUpsertOf, relationshipUpsertOf } from '../../support/replay/upserts.ts'
import { anyProperties } from '../any-value.ts'
import { anyName } from '../replay/any-structure.ts'

/** What a client says that a pair is about. */
function elementsIn(pair: WrittenPair): string[] {
  const [{ statement, parameters }] = parsePart(`{"statements":[${wholePair(pair)}]}`) as [
    ReturnType<typeof parsePart>[0],
  ]
  return elementsOf(recognise(statement) as Recognised)?.(parameters) ?? []
}

/** What the service's index of a pair says is there. */
function indexed(pair: WrittenPair): string[] {
  const bytes = Buffer.from(pairText(pair))
  using sorter = createSorter()
  pairKindOf(bytes).addLines(bytes, createLineWriter(sorter))
  const lines = Buffer.concat(Array.from(sorter.takeLines(), (bytes) => Buffer.from(bytes)))
    .toString()
    .split('\n')
    .slice(0, -1)
  return lines.flatMap(elementsOfLine)
}

const anyFields = fc
  .tuple(anyProperties(['id', 'far', 'own', 'other']), fc.constantFrom('plain' as const, 'strict' as const))
  .map(([values, numbers]) => fieldsOf(values, numbers))

test('a client and the index of the service name whatever a pair is about by the same texts', () => {
  let compared = 0
  fc.assert(
    fc.property(anyFields, anyName, anyName, fc.constantFrom('braces', 'dollar'), (fields, label, type, syntax) => {
      const make = createPairMaker(syntax)
      const of = (key: string) => fields.find((field) => field.key === key)
      const [id, far, own] = [of('id'), of('far') ?? of('id'), of('own')]
      if (id === undefined || far === undefined) return
      const start = { label, idProperty: 'id', id: id.value }
      const end = { label: 'End', idProperty: label, id: far.value }
      const ends = { start, type, end }
      const changes = { protectedKeys: [], added: [], removed: [] }
      const node = nodeUpsertOf(make, start, fields, changes)
      const relationship = relationshipUpsertOf(make, ends, fields, [], own ? 'own' : null)
      const cleanup = make.cleanup(start, { type, direction: 'in' }, [])
      for (const pair of [node, relationship, cleanup]) {
        const elements = elementsIn(pair)
        expect(elements).toHaveLength(1)
        expect(indexed(pair)).toEqual(expect.arrayContaining(elements))
        compared++
      }
      // Deletions name the same elements.
      const json = (one: PropertyField) => one.value.json
      const rows = `[[${[id, far, ...(own ? [own] : [])].map(json).join(',')}]]`
      const deletion = pairOf(shapeOf(relationshipDelete(ends, own ?? null), syntax), () => rows)
      expect(elementsIn(deletion)).toEqual(elementsIn(relationship))
      expect(elementsIn(pairOf(shapeOf(nodeDelete(start, start.id), syntax), () => `[${json(id)}]`))).toEqual(
        elementsIn(node),
      )
    }),
    { numRuns: 2_000 },
  )
  expect(compared).toBeGreaterThan(1_000)
})
