import { expect, test } from 'vitest'
import type { PacketSource } from '../../../client/replay/source/load-part.ts'
import { readFacts } from '../../../client/replay/undo/facts.ts'
import { wholePair } from '../../../packet/pair.ts'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { createRecogniser } from '../../../packet/recognise.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { nodeUpsertOf } from '../../support/replay/upserts.ts'

const pairs = createPairMaker('dollar')

/** A part of one pair, which merges a node and adds these labels to it. */
function partThatAdds(label: string, ...added: string[]): PacketSource['parts'][number] {
  const id = renderValue('x') ?? expect.unreachable()
  const changes = { protectedKeys: [], added, removed: [] }
  const pair = nodeUpsertOf(pairs, { label, idProperty: 'id', id }, [{ key: 'id', value: id }], changes)
  const json = Buffer.from(`{"statements":[${wholePair(pair)}]}`)
  return { name: 'part', pairs: 1, sha256: null, read: async () => json }
}

test('an undo knows all labels that any pair of a packet adds to nodes of a label', async () => {
  const parts = [partThatAdds('Person', 'Actor'), partThatAdds('Movie'), partThatAdds('Person', 'Actor', 'Writer')]
  parts.push(partThatAdds('Person', 'Pilot'))
  const source = { name: 'packet', sha256: null, generation: null, requires: null, parts }
  const settings = { recognise: createRecogniser(), signal: new AbortController().signal }
  const { added } = await readFacts(source, settings)
  expect(Object.fromEntries([...added].map(([label, labels]) => [label, [...labels].sort()]))).toEqual({
    Person: ['Actor', 'Pilot', 'Writer'],
    Movie: [],
  })
})
