import { setImmediate } from 'node:timers/promises'
import { type KeyKind, keysOfKind } from '../../../packet/state/keys.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import type { PacketMasking } from '../../../wire/manifest.ts'
import type { WhyUnknown } from '../../../wire/mentions.ts'
import * as errors from '../../errors/catalogue.ts'
import { idForms } from '../../request/id-forms.ts'
import type { Generation } from '../../storage/generations.ts'
import { isDamage, type StoredState } from '../../storage/manifest.ts'
import type { Storage } from '../../storage/storage.ts'
import { hashOfLine, newline, tab } from './lines.ts'
import { readLines, type Unreadable } from './stored.ts'

/** What a packet says of some ids. */
export interface Mentions {
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
): Promise<Mentions> {
  const known = (named: ReadonlySet<string>, unknown: WhyUnknown | null): Mentions => ({
    generation,
    ids: ids.filter((id) => named.has(id)),
    unknown: named.size === ids.length ? null : unknown,
  })
  if (state === undefined) return known(new Set(), 'noState')
  if (state.keyKinds === null) return known(new Set(), 'tooManyKinds')
  try {
    const named = await idsNamedBy(store, state, state.keyKinds, ids, unreadable)
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
  unreadable: Unreadable,
): Promise<Set<string>> {
  const named = new Set<string>()
  for (const [piece, idsByKey] of byPiece(lines, keyKinds, ids)) {
    for await (const bytes of readLines(store, [piece], unreadable)) {
      for (const key of keysIn(bytes)) {
        const id = idsByKey.get(key)
        if (id !== undefined) named.add(id)
      }
    }
    // A search may read many pieces.
    await setImmediate()
  }
  return named
}

type Piece = StoredState['lines'][number]

/** The keys to look for in each piece that may have them, with their ids. */
function byPiece(pieces: readonly Piece[], keyKinds: readonly KeyKind[], ids: Iterable<string>) {
  const wanted = new Map<Piece, Map<string, string>>()
  const makers = keyKinds.map(keysOfKind)
  for (const id of ids) {
    for (const form of idForms(id)) {
      for (const keyOf of makers) {
        const key = keyOf(rendered(form))
        const piece = pieceWith(pieces, hashOfLine(Buffer.from(key), 0))
        if (piece === undefined) continue
        const keys = wanted.get(piece) ?? new Map<string, string>()
        wanted.set(piece, keys.set(key, id))
      }
    }
  }
  return wanted
}

const rendered = (form: string | bigint): Rendered => ({
  json: typeof form === 'string' ? JSON.stringify(form) : String(form),
  wrap: null,
  list: false,
})

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

/** The key of each line. */
function* keysIn(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at)
    const line = bytes.subarray(at, end)
    const divided = line.indexOf(tab)
    yield line.toString('utf8', 0, divided === -1 ? line.length : divided)
    at = end + 1
  }
}
