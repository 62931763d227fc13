import { setImmediate } from 'node:timers/promises'
import { gap, type KeyKind, keysOfKind } from '../../../packet/state/keys.ts'
import type { PacketMasking } from '../../../wire/manifest.ts'
import type { WhyUnknown } from '../../../wire/mentions.ts'
import * as errors from '../../errors/catalogue.ts'
import { idForms } from '../../request/id-forms.ts'
import type { Generation } from '../../storage/generations.ts'
import { isDamage, type StoredState } from '../../storage/manifest.ts'
import type { Storage } from '../../storage/storage.ts'
import { afterString, afterValue } from './json-bytes-scan.ts'
import { hashesOfKeys, newline } from './lines.ts'
import { readLines, type UnreadableState } from './stored.ts'

/** What a packet says of some ids. */
export interface FoundMentions {
  generation: number
  /** Those that it names. */
  ids: string[]
  /** Why it may name more of them; null: it names no other. */
  unknown: WhyUnknown | null
}

/** Which of these ids a packet names, by its state. Contract 7.14. @throws storeAway (503) */
export async function mentionsIn(
  store: Storage['store'],
  { generation, manifest: { state, parts, content } }: Generation,
  ids: readonly string[],
): Promise<FoundMentions> {
  const known = (named: ReadonlySet<string>, unknown: WhyUnknown | null): FoundMentions => ({
    generation,
    ids: ids.filter((id) => named.has(id)),
    unknown: named.size === ids.length ? null : unknown,
  })
  if (state === undefined) return known(new Set(), 'noState')
  // The first states did not list the kinds.
  const { keyKinds = null } = state
  if (keyKinds === null) return known(new Set(), 'tooManyKinds')
  try {
    const named = await idsNamedBy(store, state, keyKinds, ids, unreadable)
    if ((content as { masking?: PacketMasking }).masking) return known(named, 'masked')
    const deletes = parts.some(({ statements }) => statements.nodeDelete || statements.relationshipDelete)
    return known(named, deletes ? 'deletions' : state.hasUnlisted ? 'keepLists' : null)
  } catch (error) {
    if (isDamage(error)) return known(new Set(), 'damaged')
    throw error
  }
}

const unreadable = (problem: string) => errors.packetDamaged(new Error(`the state ${problem}`))

/**
 * Which of these ids a state names: nodes that have one of them as id, ends of relationships included, and nodes that
 * only a cleanup names. An id matches as in requests.
 * @param keyKinds the kinds that the state lists
 */
export async function idsNamedBy(
  store: Storage['store'],
  { lines }: Pick<StoredState, 'lines'>,
  keyKinds: readonly KeyKind[],
  ids: Iterable<string>,
  unreadable: UnreadableState,
): Promise<Set<string>> {
  const wanted = new Map<string, string>()
  for (const id of ids) for (const form of idForms(id)) wanted.set(jsonOf(form), id)
  const named = new Set<string>()
  for (const piece of await piecesWith(lines, keyKinds, [...wanted.keys()])) {
    for await (const bytes of readLines(store, [piece], unreadable)) {
      for (const json of idsIn(bytes)) {
        const id = wanted.get(json)
        if (id !== undefined) named.add(id)
      }
    }
    // A search may read many pieces.
    await setImmediate()
  }
  return named
}

const jsonOf = (form: string | bigint) => (typeof form === 'string' ? JSON.stringify(form) : String(form))

type Piece = StoredState['lines'][number]

/** The pieces that may have keys of these kinds, with one of these ids. */
async function piecesWith(pieces: readonly Piece[], keyKinds: readonly KeyKind[], ids: readonly string[]) {
  const found = new Set<Piece>()
  const bytesOf = ids.map((id) => Buffer.from(id))
  for (const kind of keyKinds) {
    if (found.size === pieces.length) break
    const [before = '', after = ''] = keysOfKind(kind)(gap).split(gap.json)
    const hashOf = hashesOfKeys(Buffer.from(before), Buffer.from(after))
    for (const id of bytesOf) {
      const piece = pieceWith(pieces, hashOf(id))
      if (piece) found.add(piece)
    }
    // There may be thousands of kinds.
    await setImmediate()
  }
  return found
}

/** The piece that has lines of this hash, if any has: lines of one hash are all in one piece. */
function pieceWith(pieces: readonly Piece[], hash: number): Piece | undefined {
  let [low, high] = [0, pieces.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pieces[middle] as Piece).first <= hash) low = middle + 1
    else high = middle
  }
  return pieces[low - 1]
}

const [letterN, letterC] = [0x6e, 0x63]
const afterLetter = '["n",'.length

/** The id, as JSON, in the key of each line of a node or cleanup. */
function* idsIn(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes[at + 2]
    if (kind === letterN || kind === letterC) {
      const label = afterString(bytes, at + afterLetter)
      const from = afterString(bytes, label + 1) + 1
      yield bytes.toString('utf8', from, afterValue(bytes, from))
    }
    at = bytes.indexOf(newline, at) + 1
  }
}
