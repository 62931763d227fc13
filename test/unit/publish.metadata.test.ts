import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isQuotable } from '../../shared/cypher/identifiers.ts'
import { createPartMetadata, type PartMetadata } from '../../shared/publish/metadata.ts'

function rendered(note: (metadata: PartMetadata) => void): string {
  const metadata = createPartMetadata()
  note(metadata)
  return metadata.render()
}

describe('the metadata of a part', () => {
  test('of nothing but pairs has an empty qa', () => {
    expect(rendered(() => {})).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{},"relationshipIdField":null,"relationships":[],"nodes":{}}}"`,
    )
  })

  test('has its keys in a fixed order, whatever was noted first', () => {
    const text = rendered((metadata) => {
      metadata.collapsed(2)
      metadata.missing(['p9'])
      metadata.node('id', 'p1', ['id', 'name'])
      metadata.relationship('KNOWS')
      metadata.mapped({ DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title' })
    })
    expect(text).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{"DEFAULT_INDEX":"Person","DEFAULT_ID_FIELD":"id","Movie":"title"},"relationshipIdField":null,"relationships":["KNOWS"],"nodes":{"id":{"p1":["id","name"]}}},"missing":{"originIds":["p9"],"relationshipIds":[]},"collapsed":2}"`,
    )
  })

  test('names the properties published of a node once, the union of what was noted', () => {
    const text = rendered((metadata) => {
      metadata.node('id', 'p1', ['id', 'name'])
      metadata.node('title', 'p1', ['title'])
      metadata.node('id', 'p1', ['born', 'name'])
    })
    expect(JSON.parse(text).qa.nodes).toEqual({ id: { p1: ['id', 'name', 'born'] }, title: { p1: ['title'] } })
  })

  test('names each relationship type once, in the order of the pairs', () => {
    const text = rendered((metadata) => {
      for (const type of ['LIKES', 'KNOWS', 'LIKES']) metadata.relationship(type)
    })
    expect(JSON.parse(text).qa.relationships).toEqual(['LIKES', 'KNOWS'])
  })

  test('adds up what is missing and what was collapsed', () => {
    const text = rendered((metadata) => {
      metadata.missing(['p1', 'p2'])
      metadata.missing(['p3'])
      metadata.collapsed(1)
      metadata.collapsed(2)
    })
    expect(JSON.parse(text)).toMatchObject({
      missing: { originIds: ['p1', 'p2', 'p3'], relationshipIds: [] },
      collapsed: 3,
    })
  })

  test('keeps ids and properties that look like integers in their order, and odd names', () => {
    const text = rendered((metadata) => {
      for (const id of ['10', '9', '__proto__', '1']) metadata.node('id', id, ['10', '9', 'say "x"'])
    })
    expect(text).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{},"relationshipIdField":null,"relationships":[],"nodes":{"id":{"10":["10","9","say \\"x\\""],"9":["10","9","say \\"x\\""],"__proto__":["10","9","say \\"x\\""],"1":["10","9","say \\"x\\""]}}}}"`,
    )
  })
})

test('is never larger than it says before it is rendered', () => {
  const text = fc.string({ unit: 'binary', maxLength: 8 })
  const name = fc.oneof(text, fc.string({ unit: fc.constantFrom('"', '😀', '\uffff', 'a') })).filter(isQuotable)
  const note = fc.oneof(
    fc.tuple(fc.constant('mapped' as const), fc.dictionary(name, name, { maxKeys: 4 })),
    fc.tuple(fc.constant('node' as const), name, text, fc.array(name, { maxLength: 4 })),
    fc.tuple(fc.constant('relationship' as const), name),
    fc.tuple(fc.constant('missing' as const), fc.array(text, { maxLength: 4 })),
    fc.tuple(fc.constant('collapsed' as const), fc.nat()),
  )
  fc.assert(
    fc.property(fc.array(note, { maxLength: 30 }), (notes) => {
      const metadata = createPartMetadata()
      for (const one of notes) {
        if (one[0] === 'mapped') metadata.mapped(one[1])
        else if (one[0] === 'node') metadata.node(one[1], one[2], one[3])
        else if (one[0] === 'relationship') metadata.relationship(one[1])
        else if (one[0] === 'missing') metadata.missing(one[1])
        else metadata.collapsed(one[1])
      }
      const json = metadata.render()
      expect(() => JSON.parse(json)).not.toThrow()
      expect(metadata.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(json))
    }),
  )
})
