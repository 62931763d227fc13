import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from 'neo4j-driver'
import { ReplayError } from '../../../client/replay/errors.ts'
import type { PacketSource } from '../../../client/replay/replay.ts'
import { localSource } from '../../../client/source/local.ts'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import {
  nodeUpsert,
  pairOf,
  partsWithManifest,
  relationshipUpsert,
  replayed,
  sourceOf,
  verified,
} from '../../support/replay/replaying.ts'
import type { Command, History, Operation } from '../generator/histories.ts'
import { afterOperations, type Model, modelText } from '../oracle/after-operations.ts'

export interface HistoryTarget {
  driver: Driver
  address: Neo4jAddress
  label: string
}

/** The undo that the last replay of a packet with an undo wrote. */
interface Undo {
  directory: string
  /** What the target was before. */
  before: Model
  /** Whether the other packet or others have changed the target since. */
  isMixed: boolean
}

const refusals = /begun without --undo|holds the undo of a replay that has ended|holds the undo of an earlier replay/

/**
 * Runs commands, each on what the previous one left, and compares the target with the expected state after each one
 * that succeeds. @returns how many replays and undos succeeded, and how many of them were resumed.
 */
export async function runHistory(to: HistoryTarget, { packets, before, inOrder, commands }: History, home: string) {
  const { driver, address, label } = to
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  for (const { statement, parameters } of pairsOf(before, label)) await run(driver, statement, parameters)
  const undos = new Map<string, Undo>()
  const epochs = { A: 0, B: 0 }
  /** The undos of each replay that has begun and not ended, by its state file. */
  const begun = new Map<string, Set<string>>()
  const ended = { replay: 0, undo: 0, resumed: 0 }

  async function runOne(command: Command): Promise<void> {
    const { others, packet, what, stateFile, withUndo, isNewDirectory, restart, stopAfter } = command
    for (const { statement, parameters } of pairsOf(others, label)) await run(driver, statement, parameters)
    if (others.length > 0) for (const undo of undos.values()) undo.isMixed = true
    if (isNewDirectory) epochs[packet]++
    const known = undos.get(packet)
    if (what === 'undo' && known === undefined) return
    const graph = await readModel(to)
    const directory = join(home, `${packet}${epochs[packet]}`)
    const parts =
      what === 'undo' ? await inParts((known as Undo).directory) : packets[packet].map((it) => pairsOf(it, label))
    const place = what === 'undo' ? (known as Undo).directory : join(home, packet)
    const interrupted = new AbortController()
    const isUndone = what === 'replay' && withUndo
    const replay = `${place}-${stateFile}`
    const options = {
      lanes: inOrder ? 1 : 2,
      inOrder: inOrder && what === 'replay',
      batchRows: 2,
      windowBytes: 1,
      restart,
      stateFile: replay,
      signal: interrupted.signal,
      ...(isUndone ? { undoDirectory: directory } : {}),
      onProgress: ({ transactions }: { transactions: number }) => transactions === stopAfter && interrupted.abort(),
    }
    const result = await replayed(partsWithManifest([{ label, property: 'id' }], ...parts), address, options).catch(
      (error: unknown) => error,
    )
    if (result instanceof Error && !(result instanceof ReplayError)) throw result
    const isRefused = result instanceof ReplayError && result.kind === 'refused'
    if (isRefused && !refusals.test(result.message)) throw result
    if (isRefused) return demand('refused, but changed', graph, await readModel(to))
    for (const [of, undo] of undos) if (of !== packet) undo.isMixed = true
    const ofReplay = begun.get(replay) ?? new Set()
    begun.set(replay, ofReplay)
    if (isUndone && !ofReplay.has(directory) && existsSync(join(directory, 'manifest.json'))) {
      undos.set(packet, { directory, before: graph, isMixed: false })
      ofReplay.add(directory)
    }
    if (result instanceof ReplayError) {
      if (result.kind !== 'interrupted') throw result
      return
    }
    begun.delete(replay)
    ended[what]++
    if ((result as { partsSkipped: number }).partsSkipped > 0) ended.resumed++
    if (isUndone) epochs[packet]++
    const after = await readModel(to)
    if (what === 'replay') return demand('replayed', afterOperations(graph, packets[packet].flat()), after)
    if (known?.isMixed === false) return demand('undone', known.before, after)
    const { differing, first } = await verified(sourceOf(...parts), address)
    if (differing > 0) throw new Error(`undone, but ${first.map(({ text }) => text).join('; ')}`)
  }

  for (const [at, command] of commands.entries()) {
    await runOne(command).catch((cause) => {
      throw new Error(`command ${at + 1}: ${(cause as Error).message}`, { cause })
    })
  }
  return ended
}

/** The pairs of an undo in several parts, as it would have them if it were large. */
async function inParts(directory: string): Promise<Pair[][]> {
  const { parts } = (await localSource(directory)) as PacketSource
  const pairs: Pair[] = []
  for (const part of parts) pairs.push(...parsePart(await part.read(new AbortController().signal)))
  return Array.from({ length: Math.ceil(pairs.length / 5) }, (_, at) => pairs.slice(at * 5, at * 5 + 5))
}

export const pairsOf = (operations: readonly Operation[], label: string): Pair[] =>
  operations.map((it) => pairOfOperation(it, label))

function pairOfOperation(it: Operation, label: string): Pair {
  const node = (parameter: string) => `(n:\`${label}\` {\`id\`: $${parameter}})`
  const isKept = `coalesce(m:\`${label}\` AND m.\`id\` IN $ids_0, false)`
  switch (it.kind) {
    case 'upsert':
      return pairOf(`${nodeUpsert(label, '').statement.replace(/}$/, ', `name`: $name}')}`, {
        id: it.id,
        name: it.name,
      })
    case 'relate':
      return relationshipUpsert(label, it.start, it.end, BigInt(it.at))
    case 'forget':
      return pairOf(`MATCH ${node('id')} REMOVE n.\`name\``, { id: it.id })
    case 'delete':
      return pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids: [it.id] })
    case 'clean':
      return pairOf(`MATCH ${node('baseId')}-[r:\`KNOWS\`]->(m) WHERE NOT ${isKept} DELETE r`, {
        baseId: it.id,
        ids_0: it.kept,
      })
  }
}

async function readModel({ driver, label }: HistoryTarget): Promise<Model> {
  const nodes = await run(driver, `MATCH (n:\`${label}\`) RETURN n.id, n.name`)
  const relationships = await run(driver, `MATCH (a:\`${label}\`)-[r]->(b) RETURN a.id + ' ' + b.id, r.at`)
  return {
    nodes: new Map(nodes as [string, string | null][]),
    relationships: new Map(relationships.map(([ends, at]) => [ends as string, Number(at)])),
  }
}

function demand(what: string, expected: Model, actual: Model): void {
  const lines = differences(modelText(expected), modelText(actual))
  if (lines.length > 0) throw new Error(`${what} (- expected, + found)\n${lines.join('\n')}`)
}
