import { hash } from 'node:crypto'
import type { Identity } from '../../../packet/identity.ts'
import { type Expression, type NodeKey, named, type StatementKind } from '../../../packet/kinds/statement.ts'
import type { Ends } from '../../../packet/pair-maker.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import { cleanupKeys, idKey, isPlain, type KeyKind, nodeKeys, relationshipKeys } from '../../../packet/state/keys.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { convertText } from '../pairs/convert-syntax.ts'
import { afterString, afterValue } from './json-bytes-scan.ts'

/** What all pairs of one statement have in common, for the state that they lead to. */
export interface PairKind {
  kind: StatementKind
  /** Where the parameters begin in the bytes of a pair. */
  start: number
  /** Of the statement in one parameter syntax, so that a pair has one digest however it is written. */
  digest: Buffer
  /** The lines of the state for a pair, given by its bytes. */
  linesOf(bytes: Buffer): string[]
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
  return { kind: it.kind, start, digest, linesOf: linesOf(it, start), keyKinds: keyKindsOf(it) }
}

function linesOf(it: Recognised, start: number): PairKind['linesOf'] {
  const ids = createIdReader(it, start)
  const [first, second] = it.identities
  if (it.kind === 'relationshipUpsert' && first && second) {
    const [startLine, endLine] = [nodeLines(first), nodeLines(second)]
    const keyOf = relationshipKeys(first, it.ends.type, second)
    return (bytes) => {
      const [startId, endId, own] = ids(bytes) as [Rendered, Rendered, Rendered | undefined]
      return [startLine(startId), endLine(endId), withPayload(keyOf(startId, endId), startId, endId, it.idField, own)]
    }
  }
  if (it.kind === 'nodeUpsert' && first) {
    const lineOf = nodeLines(first)
    return (bytes) => ids(bytes).map(lineOf)
  }
  if (it.kind === 'cleanup' && first) {
    const keyOf = cleanupKeys(first, it.type)
    return (bytes) => ids(bytes).map(keyOf)
  }
  return () => []
}

function keyKindsOf(it: Recognised): KeyKind[] {
  const nodes = it.identities.map(({ label, idProperty }) => ({ label, idProperty }))
  if (it.kind === 'cleanup') return nodes.map((node) => ({ ...node, ...it.type }))
  return it.kind === 'nodeUpsert' || it.kind === 'relationshipUpsert' ? nodes : []
}

/** Lines of nodes: the key, and the id as it is written if the key does not say that. */
function nodeLines(node: NodeKey): (id: Rendered) => string {
  const keyOf = nodeKeys(node)
  return (id) => (isPlain(id) ? keyOf(id) : `${keyOf(id)}\t=${JSON.stringify(id)}`)
}

export const nodeLine = (identity: Identity): string => nodeLines(identity)(identity.id)

/** The line of a relationship: its key, then the property and value of its own id, and ids that the key does not say. */
function withPayload(key: string, start: Rendered, end: Rendered, field: string | null, own?: Rendered): string {
  const ids = [start, end, ...(own ? [own] : [])]
  const literals = ids.every(isPlain) ? '' : `,${JSON.stringify(ids)}`
  if (own === undefined && literals === '') return key
  return `${key}\t[${JSON.stringify(own ? field : null)},${own ? idKey(own) : null}${literals}]`
}

export const relationshipLine = ({ start, type, end }: Ends, own: { key: string; id: Rendered } | null): string =>
  withPayload(relationshipKeys(start, type, end)(start.id, end.id), start.id, end.id, own?.key ?? null, own?.id)

/** Reads the ids of pairs: of their nodes, then the one of the relationship, if it has one. */
function createIdReader(it: Recognised, start: number): (bytes: Buffer) => Rendered[] {
  for (const [index, { parameter }] of it.identities.entries())
    if (it.parameters[index] !== parameter) throw new Error('the ids of a pair are not its first parameters')
  const wanted = new Map<number, Expression>(it.identities.map(({ id }, index) => [index, id]))
  if (it.kind === 'relationshipUpsert') {
    const own = named(it.fields).find(({ key }) => key === it.idField)
    if (own) wanted.set(it.parameters.indexOf(own.name), own.value)
  }
  const last = Math.max(...wanted.keys())
  return (bytes) => {
    const found: Rendered[] = []
    let at = start
    for (let index = 0; index <= last; index++) {
      const from = afterString(bytes, at) + 1
      const to = afterValue(bytes, from)
      const expression = wanted.get(index)
      if (expression)
        found.push({ json: bytes.toString('utf8', from, to), wrap: expression.wrap, list: expression.list })
      at = to + 1
    }
    return found
  }
}
