import { hash } from 'node:crypto'
import type { Identity } from '../../../packet/identity.ts'
import { type Expression, type NodeKey, named, type StatementKind } from '../../../packet/kinds/statement.ts'
import type { Ends } from '../../../packet/pair-maker.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import {
  cleanupKeys,
  gap,
  idKey,
  isPlain,
  type KeyKind,
  nodeKeys,
  relationshipKeys,
} from '../../../packet/state/keys.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { convertText } from '../pairs/convert-syntax.ts'
import { afterString, afterValue } from './json-bytes-scan.ts'
import type { LineWriter } from './line-writer.ts'

/** What all pairs of one statement have in common, for the state that they lead to. */
export interface PairKind {
  kind: StatementKind
  /** Where the parameters begin in the bytes of a pair. */
  start: number
  /** Of the statement in one parameter syntax, so that a pair has one digest however it is written. */
  digest: Buffer
  /** Writes the lines of the state for a pair, given by its bytes. */
  addLines(bytes: Buffer, to: LineWriter): void
  /** The kinds of the keys of nodes and cleanups in these lines. */
  keyKinds: readonly KeyKind[]
}

const opening = Buffer.from('{"statement":')
const between = Buffer.from(',"parameters":{')

/** Reads the statement of a pair, given by the pair's bytes without metadata. */
export function pairKindOf(bytes: Buffer): PairKind {
  const end = afterString(bytes, opening.length)
  const text = JSON.parse(bytes.toString('utf8', opening.length, end)) as string
  const it = recognise(text)
  if (it === null) throw new Error('a statement that this service has written is not recognised')
  const digest = hash('sha256', convertText(text, 'dollar'), 'buffer')
  const start = end + between.length
  return { kind: it.kind, start, digest, addLines: writerOf(it, start), keyKinds: keyKindsOf(it) }
}

function writerOf(it: Recognised, start: number): PairKind['addLines'] {
  const ids = createIdReader(it, start)
  const [first, second] = it.identities
  if (it.kind === 'relationshipUpsert' && first && second) {
    const [startLine, endLine] = [nodeLines(first), nodeLines(second)]
    const { type } = it.ends
    const keyOf = relationshipKeys(first, type, second)
    const [before, between, after] = divided(keyOf(gap, gap))
    const hasOwn = named(it.fields).some(({ key }) => key === it.idField)
    const own = hasOwn ? Buffer.from(`\t[${JSON.stringify(it.idField)},`) : null
    const [startPieces, endPieces] = [divided(nodeKeys(first)(gap)), divided(nodeKeys(second)(gap))]
    return (bytes, to) => {
      const { places, arePlain } = ids.find(bytes)
      if (!arePlain) {
        const [startId, endId, ownId] = ids.read(bytes) as [Rendered, Rendered, Rendered | undefined]
        to.line(startLine(startId))
        to.line(endLine(endId))
        return to.line(withPayload(keyOf(startId, endId), startId, endId, it.idField, ownId))
      }
      writeLine(to, bytes, startPieces, places)
      writeLine(to, bytes, endPieces, places, 2)
      to.add(before as Buffer)
      to.add(bytes, places[0], places[1])
      to.add(between as Buffer)
      to.add(bytes, places[2], places[3])
      to.add(after as Buffer)
      if (own !== null) {
        to.add(own)
        to.add(bytes, places[4], places[5])
        to.add(closing)
      }
      to.end(false)
    }
  }
  if ((it.kind === 'nodeUpsert' || it.kind === 'cleanup') && first) {
    const keyOf = it.kind === 'cleanup' ? cleanupKeys(first, it.type) : nodeKeys(first)
    const lineOf = it.kind === 'cleanup' ? keyOf : nodeLines(first)
    const pieces = divided(keyOf(gap))
    return (bytes, to) => {
      const { places, arePlain } = ids.find(bytes)
      if (arePlain) writeLine(to, bytes, pieces, places)
      else for (const id of ids.read(bytes)) to.line(lineOf(id))
    }
  }
  return () => {}
}

const closing = Buffer.from(']')

/** What stands before, between and after the ids of a key. */
const divided = (key: string): Buffer[] => key.split(gap.json).map((piece) => Buffer.from(piece))

/** Writes a line with one id, which stands in the pair at the place of this index. */
function writeLine(to: LineWriter, bytes: Buffer, [before, after]: Buffer[], places: Places, index = 0): void {
  to.add(before as Buffer)
  to.add(bytes, places[index], places[index + 1])
  to.add(after as Buffer)
  to.end(true)
}

function keyKindsOf(it: Recognised): KeyKind[] {
  const nodes = it.identities.map(({ label, idProperty }) => ({ label, idProperty }))
  if (it.kind === 'cleanup') return nodes.map((node) => ({ ...node, ...it.type }))
  return it.kind === 'nodeUpsert' || it.kind === 'relationshipUpsert' ? nodes : []
}

/** Lines of nodes: the key, and the id as it is written if the key does not say that. */
function nodeLines(node: NodeKey): (id: Rendered) => string {
  const keyOf = nodeKeys(node)
  return (id) => (isPlain(id) ? keyOf(id) : `${keyOf(id)}\t=${literalOf(id)}`)
}

/** An id has one literal: whether it is a list matters only if its elements are converted. */
const literalOf = ({ json, wrap, list }: Rendered) => JSON.stringify({ json, wrap, list: wrap !== null && list })

export const nodeLine = (identity: Identity): string => nodeLines(identity)(identity.id)

/** The line of a relationship: its key, then the property and value of its own id, and ids that the key does not say. */
function withPayload(key: string, start: Rendered, end: Rendered, field: string | null, own?: Rendered): string {
  const ids = [start, end, ...(own ? [own] : [])]
  const literals = ids.every(isPlain) ? '' : `,[${ids.map(literalOf).join(',')}]`
  if (own === undefined && literals === '') return key
  return `${key}\t[${JSON.stringify(own ? field : null)},${own ? idKey(own) : null}${literals}]`
}

export const relationshipLine = ({ start, type, end }: Ends, own: { key: string; id: Rendered } | null): string =>
  withPayload(relationshipKeys(start, type, end)(start.id, end.id), start.id, end.id, own?.key ?? null, own?.id)

/** Where ids stand in the bytes of a pair: for each its beginning and its end. */
type Places = readonly number[]

/** Finds the ids of pairs: of their nodes, then the one of the relationship, if it has one. */
function createIdReader(it: Recognised, start: number) {
  for (const [index, { parameter }] of it.identities.entries())
    if (it.parameters[index] !== parameter) throw new Error('the ids of a pair are not its first parameters')
  const wanted = new Map<number, Expression>(it.identities.map(({ id }, index) => [index, id]))
  if (it.kind === 'relationshipUpsert') {
    const own = named(it.fields).find(({ key }) => key === it.idField)
    if (own) wanted.set(it.parameters.indexOf(own.name), own.value)
  }
  const last = Math.max(...wanted.keys())
  const expressions = it.parameters.slice(0, last + 1).map((_, index) => wanted.get(index) ?? null)
  const isWrapped = expressions.some((expression) => expression !== null && expression.wrap !== null)
  const nameBytes = it.parameters.slice(0, last + 1).map((name) => Buffer.byteLength(JSON.stringify(name)))
  const places: number[] = []
  const found = { places, arePlain: true }

  /** `arePlain`: each id stands in keys as it does in the pair. The answer is valid until the next call. */
  function find(bytes: Buffer): typeof found {
    let count = 0
    found.arePlain = !isWrapped
    for (let at = start, index = 0; index <= last; index++) {
      const from = at + (nameBytes[index] as number) + 1
      const to = afterValue(bytes, from)
      if (expressions[index] !== null) {
        places[count++] = from
        places[count++] = to
        if (found.arePlain && !isPlainAt(bytes, from, to)) found.arePlain = false
      }
      at = to + 1
    }
    return found
  }

  return {
    find,
    read(bytes: Buffer): Rendered[] {
      find(bytes)
      return expressions
        .filter((expression) => expression !== null)
        .map(({ wrap, list }, index) => {
          const json = bytes.toString('utf8', places[2 * index], places[2 * index + 1])
          return { json, wrap, list }
        })
    },
  }
}

const [quote, minus, zero, nine] = [0x22, 0x2d, 0x30, 0x39]

/** Whether a value is a string or an integer: `isPlain` of its bytes. */
function isPlainAt(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] === quote) return true
  for (let at = bytes[from] === minus ? from + 1 : from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte < zero || byte > nine) return false
  }
  return true
}
