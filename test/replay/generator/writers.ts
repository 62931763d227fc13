import fc from 'fast-check'
import type { Alphabet } from './alphabet.ts'

const kindsOfChanges = {
  existence: ['appear', 'again', 'remove', 'link', 'unlink'],
  // Without deletions: a node that is created again under an id, but under another label, is not covered.
  identities: ['relabel', 'relabel', 'label again', 'link', 'unlink'],
} as const

export type KindOfChanges = keyof typeof kindsOfChanges

/** What others may write to an origin while a request reads it, about nodes with the label A and one of these ids. */
export function changesAt(names: Alphabet, ids: readonly string[]) {
  const merged = (id: string) => `MERGE (:${names.a} {id: '${id}'})`
  const link = (start: string, end: string, grn: string) =>
    `MATCH (a:${names.a} {id: '${start}'}), (b:${names.a} {id: '${end}'}) CREATE (a)-[:GEN_T {grn: '${grn}'}]->(b)`
  const removed = (id: string) => `MATCH (n:${names.a} {id: '${id}'}) DETACH DELETE n`

  /** The node is identified by the label C from now on, or by A again. It bears both, or only A. */
  const relabelled = (id: string) =>
    `MATCH (n:${names.a} {id: '${id}'}) WHERE n.index IS NULL SET n:${names.c}, n.index = '${names.c}'`
  const labelledAgain = (id: string) => `MATCH (n:${names.a} {id: '${id}'}) REMOVE n:${names.c}, n.index`

  /** The queries of one change, run in order. */
  const changesOf = (kinds: KindOfChanges): fc.Arbitrary<string[]> =>
    fc
      .record({
        kind: fc.constantFrom(...kindsOfChanges[kinds]),
        one: fc.constantFrom(...ids),
        other: fc.constantFrom(...ids),
        grn: fc.nat(),
      })
      .map(({ kind, one, other, grn }) => {
        switch (kind) {
          case 'appear':
            return [merged(one), link(other, one, `g${grn}`)]
          case 'again':
            return [removed(one), merged(one), link(other, one, `g${grn}`), link(one, other, `h${grn}`)]
          case 'remove':
            return [removed(one)]
          case 'relabel':
            return [relabelled(one)]
          case 'label again':
            return [labelledAgain(one)]
          case 'link':
            return [link(one, other, `g${grn}`)]
          default:
            return [`MATCH (:${names.a} {id: '${one}'})-[r:GEN_T]-() DELETE r`]
        }
      })

  return { merged, link, removed, relabelled, changesOf }
}
