import { hash } from 'node:crypto'
import type { Identity } from '../../../packet/identity.ts'
import type { Topic } from '../../../packet/kinds/statement.ts'
import type { Ends } from '../../../packet/pair-maker.ts'
import { nodeKeyOf, relationshipKeys } from '../../../packet/state/keys.ts'
import { writeDigest } from '../../../packet/write-digest.ts'
import type { KeyKinds } from './key-kinds.ts'
import type { KnownDigests } from './known-digests.ts'
import { createLineWriter } from './line-writer.ts'
import { nodeLine, type PairKind, pairKindOf } from './pair-kinds.ts'
import { digestBytes, type Sorter } from './sorter.ts'

const keptViews = 2_048

/**
 * Indexes the pairs of a packet while it is built: the digest of each, and lines for what it is about. Contract 4.23.
 * @param keyKinds receives the kinds of keys that lines have
 * @param base the digests of the base; null: the packet is whole
 */
export function createPairIndex(
  sorter: Pick<Sorter, 'addDigests' | 'addLine'>,
  keyKinds: Pick<KeyKinds, 'add'>,
  base: KnownDigests | null,
) {
  const kinds = new WeakMap<Topic, PairKind>()
  const lines = createLineWriter(sorter)
  const digest = Buffer.allocUnsafe(digestBytes)
  let input = Buffer.allocUnsafeSlow(64 * 1024)
  const views: (Buffer | undefined)[] = Array(keptViews).fill(undefined)
  let stamp: Buffer | null = null

  /** The first bytes of `input`. One view for each length is kept: to make one costs as much as a digest of it. */
  function inputOf(length: number): Buffer {
    if (length >= keptViews) return input.subarray(0, length)
    views[length] ??= input.subarray(0, length)
    return views[length] as Buffer
  }

  function digestOf({ kind, digest: text, start }: PairKind, pair: Buffer): string {
    const needed = text.length + pair.length
    if (needed > input.length) {
      input = Buffer.allocUnsafeSlow(2 * needed)
      views.fill(undefined)
    }
    let length = text.copy(input)
    const at = stamp !== null && kind === 'relationshipUpsert' ? onlyPlace(pair, stamp, start) : -1
    if (at === -1) length += pair.copy(input, length, start)
    else {
      length += pair.copy(input, length, start, at)
      length += pair.copy(input, length, at + (stamp as Buffer).length)
    }
    return hash('sha256', inputOf(length), 'binary')
  }

  function addNode({ label, idProperty }: Identity, line: string): void {
    keyKinds.add({ label, idProperty })
    lines.line(line)
  }

  return {
    /**
     * The value of the stamp in the pairs of relationships that follow, as JSON; null if they have none. It is no part
     * of a digest: it changes with every publish.
     */
    stampedWith(json: string | null): void {
      stamp = json === null ? null : Buffer.from(`":${json}`)
    },
    /** Indexes a pair, given by its bytes without metadata. @returns whether the base has it, so that it need not be sent */
    take(pair: Buffer, topic: Topic): boolean {
      let kind = kinds.get(topic)
      if (kind === undefined) {
        kind = pairKindOf(pair)
        kinds.set(topic, kind)
        for (const one of kind.keyKinds) keyKinds.add(one)
      }
      writeDigest(digestOf(kind, pair), digest, 0, digestBytes)
      sorter.addDigests(digest)
      kind.addLines(pair, lines)
      return base?.has(digest) === true
    },
    /** Notes a node that the origin has but the packet leaves out: it is not gone. */
    keep(identity: Identity): void {
      addNode(identity, nodeLine(identity))
    },
    /** Likewise for a relationship, or several between two nodes. */
    keepBetween({ start, type, end }: Ends): void {
      for (const node of [start, end]) addNode(node, nodeLine(node))
      lines.line(`${relationshipKeys(start, type, end)(start.id, end.id)}\ts`)
    },
    /** Notes that a node, which pairs name by `identity`, may also be found by others of its labels and their ids. */
    alsoFoundBy(identity: Identity, others: readonly Identity[]): void {
      for (const other of others) addNode(other, `${nodeKeyOf(other)}\ta${nodeLine(identity)}`)
    },
  }
}

export type PairIndex = ReturnType<typeof createPairIndex>

/** Where a text occurs; -1 if it does not, or more than once. */
function onlyPlace(bytes: Buffer, text: Buffer, from: number): number {
  const at = bytes.indexOf(text, from)
  return at === -1 || bytes.indexOf(text, at + 1) !== -1 ? -1 : at
}
