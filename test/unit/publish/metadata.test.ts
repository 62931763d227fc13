import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import { createPartMetadata, type PartMetadata } from '../../../packet/parts/metadata.ts'

function rendered(note: (metadata: PartMetadata) => void): string {
  const metadata = createPartMetadata()
  note(metadata)
  return metadata.render()
}

describe('the metadata of a part', () => {
  test('the metadata of a part has an empty qa if nothing was recorded', () => {
    expect(rendered(() => {})).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{},"relationshipIdField":null,"relationships":[],"nodes":{}}}"`,
    )
  })

  test('the metadata of a part has its keys in a fixed order, in whatever order they were recorded', () => {
    const text = rendered((metadata) => {
      metadata.collapsed(2)
      metadata.missing('originIds', ['p9'])
      metadata.node('id', 'p1', ['id', 'name'])
      metadata.relationship('KNOWS')
      metadata.updated('s1')
      metadata.postsBack('{"statement":"…"}')
      metadata.settings({ DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title' }, 'grn')
    })
    expect(text).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{"DEFAULT_INDEX":"Person","DEFAULT_ID_FIELD":"id","Movie":"title"},"relationshipIdField":"grn","relationships":["KNOWS"],"nodes":{"id":{"p1":["id","name"]}}},"postback":{"statements":[{"statement":"…"}]},"updatedIds":["s1"],"missing":{"originIds":["p9"],"relationshipIds":[]},"collapsed":2}"`,
    )
  })

  test('the metadata of a part lists the union of the published properties of a node', () => {
    const text = rendered((metadata) => {
      metadata.node('id', 'p1', ['id', 'name'])
      metadata.node('title', 'p1', ['title'])
      metadata.node('id', 'p1', ['born', 'name'])
    })
    expect(JSON.parse(text).qa.nodes).toEqual({ id: { p1: ['id', 'name', 'born'] }, title: { p1: ['title'] } })
  })

  test('the metadata of a part lists each relationship type once, in the order of the pairs', () => {
    const text = rendered((metadata) => {
      for (const type of ['LIKES', 'KNOWS', 'LIKES']) metadata.relationship(type)
    })
    expect(JSON.parse(text).qa.relationships).toEqual(['LIKES', 'KNOWS'])
  })

  test('the metadata of a part merges the settings of all requests in the part', () => {
    const text = rendered((metadata) => {
      metadata.settings({ DEFAULT_INDEX: 'Person', Movie: 'title' }, null)
      metadata.settings({ DEFAULT_INDEX: 'Person', City: 'name' }, 'grn')
    })
    expect(JSON.parse(text).qa).toMatchObject({
      mappedIndices: { DEFAULT_INDEX: 'Person', Movie: 'title', City: 'name' },
      relationshipIdField: 'grn',
    })
  })

  test('the metadata of a part has a postback packet and search ids if requested, even empty ones', () => {
    const text = rendered((metadata) => {
      metadata.postsBack()
      metadata.searches()
      metadata.updated(undefined)
    })
    expect(JSON.parse(text)).toMatchObject({ postback: { statements: [] }, updatedIds: [] })
  })

  test('the metadata of a part accumulates missing ids and collapsed counts', () => {
    const text = rendered((metadata) => {
      metadata.missing('originIds', ['p1', 'p2'])
      metadata.missing('relationshipIds', ['r1'])
      metadata.missing('originIds', ['p3'])
      metadata.collapsed(1)
      metadata.collapsed(2)
    })
    expect(JSON.parse(text)).toMatchObject({
      missing: { originIds: ['p1', 'p2', 'p3'], relationshipIds: ['r1'] },
      collapsed: 3,
    })
  })

  test('the metadata of a part preserves the order of integer-like ids and properties, and unusual names', () => {
    const text = rendered((metadata) => {
      for (const id of ['10', '9', '__proto__', '1']) metadata.node('id', id, ['10', '9', 'say "x"'])
    })
    expect(text).toMatchInlineSnapshot(
      `"{"qa":{"mappedIndices":{},"relationshipIdField":null,"relationships":[],"nodes":{"id":{"10":["10","9","say \\"x\\""],"9":["10","9","say \\"x\\""],"__proto__":["10","9","say \\"x\\""],"1":["10","9","say \\"x\\""]}}}}"`,
    )
  })
})

test('the rendered metadata never exceeds its estimated size', () => {
  const text = fc.string({ unit: 'binary', maxLength: 8 })
  const name = fc.oneof(text, fc.string({ unit: fc.constantFrom('"', '😀', '\uffff', 'a') })).filter(isQuotable)
  const note = fc.oneof(
    fc.tuple(fc.constant('settings' as const), fc.dictionary(name, name, { maxKeys: 4 }), fc.option(name)),
    fc.tuple(fc.constant('node' as const), name, text, fc.array(name, { maxLength: 4 })),
    fc.tuple(fc.constant('relationship' as const), name),
    fc.tuple(
      fc.constant('missing' as const),
      fc.constantFrom('originIds', 'relationshipIds'),
      fc.array(text, { maxLength: 4 }),
    ),
    fc.tuple(
      fc.constant('postsBack' as const),
      fc.option(
        text.map((one) => JSON.stringify(one)),
        { nil: undefined },
      ),
    ),
    fc.tuple(fc.constant('searches' as const)),
    fc.tuple(fc.constant('updated' as const), fc.option(text, { nil: undefined })),
    fc.tuple(fc.constant('collapsed' as const), fc.nat()),
  )
  fc.assert(
    fc.property(fc.array(note, { maxLength: 30 }), (notes) => {
      const metadata = createPartMetadata()
      for (const one of notes) {
        if (one[0] === 'settings') metadata.settings(one[1], one[2])
        else if (one[0] === 'node') metadata.node(one[1], one[2], one[3])
        else if (one[0] === 'relationship') metadata.relationship(one[1])
        else if (one[0] === 'missing') metadata.missing(one[1], one[2])
        else if (one[0] === 'postsBack') metadata.postsBack(one[1])
        else if (one[0] === 'searches') metadata.searches()
        else if (one[0] === 'updated') metadata.updated(one[1])
        else metadata.collapsed(one[1])
      }
      const json = metadata.render()
      expect(() => JSON.parse(json)).not.toThrow()
      expect(metadata.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(json))
    }),
  )
})
