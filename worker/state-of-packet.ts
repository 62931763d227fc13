import { defaultSyntax } from '../packet/cypher/parameters.ts'
import { createShapeTally, type PacketShape } from '../packet/packet-shape.ts'
import { emptyPart } from '../packet/parts/part-buffer.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import type { StateShare } from '../shared/jobs/stored/results.ts'
import { partStored } from '../shared/observability/events.ts'
import { readBase, requireIndices } from '../shared/publish/state/base.ts'
import { writeDeletions } from '../shared/publish/state/deletions.ts'
import {
  compareStates,
  type Gone,
  isRelationship,
  linesByNewEnds,
  type StateComparison,
} from '../shared/publish/state/gone.ts'
import { createPairIndex, type PairIndex } from '../shared/publish/state/index-pairs.ts'
import { createKeyKinds } from '../shared/publish/state/key-kinds.ts'
import { createScratch, type Scratch } from '../shared/publish/state/scratch.ts'
import { createSorter } from '../shared/publish/state/sorter.ts'
import {
  addIndices,
  compressedLines,
  indicesOf,
  noIndices,
  piecesOf,
  readLines,
  readPieces,
  storeDigests,
  storeLines,
  textOfIndices,
} from '../shared/publish/state/stored.ts'
import type { PublishRequest } from '../shared/request/fields.ts'
import type { StatePiece, StoredState } from '../shared/storage/manifest.ts'
import type { Staging } from '../shared/storage/staging.ts'
import type { Packet } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

export type StateOfPacket = Awaited<ReturnType<typeof openState>>

/**
 * The state that a packet leads to, while a run builds the packet or one of its slices: its index, and what the base has
 * of it. null if the job wants none. docs/storage.md#states
 */
export async function openState(context: WorkerContext, job: JobRecord) {
  const order = job.order.state
  if (order === undefined) return null
  const { store, generations } = context
  const { deleteMissing } = order
  const base = order.base && (await readBase(generations, job.orgName, order.base))
  const ofBase = (problem: string) => errors.unusableBase(base?.fileName ?? '', problem)
  const ofSlice = (problem: string) => errors.storeAway(new Error(`the state of a slice ${problem}`))
  const sorter = createSorter()
  const indices = noIndices()
  const keyKinds = createKeyKinds()
  let hasUnlisted = false
  const shares: Pick<StateShare, 'digests' | 'lines'> = { digests: [], lines: [] }
  const held = new DisposableStack()
  held.use(sorter)

  /** Stores what was indexed, and compares it with the base if deletions are wanted. */
  async function storeAndCompare(put: (bytes: Buffer) => Promise<StatePiece>) {
    for await (const bytes of readPieces(store, shares.digests, ofSlice)) sorter.addDigests(bytes)
    for await (const bytes of readLines(store, shares.lines, ofSlice)) sorter.addLines(bytes)
    const digests = await storeDigests(sorter, put)
    const { facts, chunks } = storeLines(sorter, put)
    if (!base || deleteMissing === null) {
      for await (const _ of chunks);
      return { ...digests, ...facts, comparison: null }
    }
    const missing = held.use(createScratch(1))
    const comparison = await compareStates(chunks, readLines(store, base.state.lines, ofBase), (gone) => {
      const line = Buffer.from(`${JSON.stringify(gone)}\n`)
      missing.add(0, line, 0, line.length)
    })
    return { ...digests, ...facts, comparison: { ...comparison, missing, before: base.state } }
  }

  /** The parts and the content of a packet with deletions. `before`: the base's state; `stored`: lines of the new one. */
  async function withDeletions(
    { staging, parts, content }: Packet,
    { gone, renamed: mayBeRenamed, missing, before }: StateComparison & { missing: Scratch; before: StoredState },
    stored: StoredState['lines'],
    signal: AbortSignal,
  ): Promise<Pick<Packet, 'parts' | 'content'>> {
    const share = deleteMissing as number
    requireShare(gone.nodes, before.nodes, 'nodes', share)
    const first = staging.parts.length
    const sink = async (part: Parameters<Staging['put']>[0]) => {
      signal.throwIfAborted()
      await staging.put({ ...part, number: first + part.number })
      partStored(context, part)
    }
    const syntax = content.parameterSyntax === 'mixed' ? defaultSyntax : content.parameterSyntax
    const lines = () => readLines(store, stored, ofSlice)
    const renamed = await stillGone(mayBeRenamed, lines())
    const deleted = { relationships: 0 }
    const all = counted(toDelete(missing.read(0), { renamed }, lines), deleted)
    const shape = await writeDeletions(all, { syntax, batchSize: job.order.batchSize, renamed, sink })
    requireShare(deleted.relationships, before.relationships, 'relationships', share)
    return {
      // Deletions come first: a node that has an old id may be one that the other pairs write by a new id.
      parts: [...staging.parts.slice(first), ...parts],
      content: content.shape ? { ...content, shape: sumOf(content.shape, shape) } : content,
    }
  }

  return {
    /** Indexes the pairs of these requests. */
    async index(requests: readonly PublishRequest[]): Promise<PairIndex> {
      addIndices(indices, indicesOf(requests))
      hasUnlisted ||= requests.some(({ relationshipDeleteOnly }) => relationshipDeleteOnly === true)
      const digests = base && (await context.digests.of(base.state, readPieces(store, base.state.digests, ofBase)))
      if (digests) held.defer(digests.release)
      return createPairIndex(sorter, keyKinds, digests?.known ?? null)
    },
    /** Stores what was indexed as the share of a slice. */
    async share(staging: Staging): Promise<StateShare> {
      const digests: StatePiece[] = []
      const lines: StatePiece[] = []
      for await (const piece of piecesOf(sorter.unsortedDigests())) digests.push(await staging.putState(piece))
      for await (const piece of piecesOf(sorter.unsortedLines()))
        lines.push(await staging.putState(await compressedLines(piece)))
      return { digests, lines, indices, keyKinds: keyKinds.read(), hasUnlisted }
    },
    /** Adds the share of a slice. */
    add(share: StateShare): void {
      addIndices(indices, share.indices)
      keyKinds.addAll(share.keyKinds)
      hasUnlisted ||= share.hasUnlisted
      shares.digests.push(...share.digests)
      shares.lines.push(...share.lines)
    },
    /** Stores the state, and adds the deletions of what only the base has to the packet. */
    async complete(packet: Packet, signal: AbortSignal): Promise<Packet> {
      if (base) requireIndices(base, indices)
      const { staging } = packet
      const { comparison, ...facts } = await storeAndCompare((bytes) => {
        signal.throwIfAborted()
        return staging.putState(bytes)
      })
      context.failpoint('stateCompared')
      const { parts, content } = comparison ? await withDeletions(packet, comparison, facts.lines, signal) : packet
      const hasNone = parts.length === 0
      if (hasNone) await staging.put({ number: 1, bytes: emptyPart, pairs: 0, statements: {} })
      const state: StoredState = {
        ...facts,
        base: base && { fileName: base.fileName, generation: base.generation, state: base.state.sha256 },
        indices: textOfIndices(indices),
        keyKinds: keyKinds.read(),
        hasUnlisted,
      }
      return { ...packet, parts: hasNone ? [...staging.parts] : parts, content, state }
    },
    close: () => held.dispose(),
  }
}

/** A product such as 0.29 * 100 is a little less than what it stands for. */
const rounding = 1e-6

/** @throws tooManyDeletions (409) if more of the base goes than `share` allows */
function requireShare(gone: number, base: number, what: string, share: number): void {
  if (gone > share * base + rounding) throw errors.tooManyDeletions(`${gone} of ${base} ${what}`, share)
}

async function* counted(all: AsyncIterable<Gone>, counts: { relationships: number }): AsyncGenerator<Gone> {
  for await (const one of all) {
    if (isRelationship(one)) counts.relationships++
    yield one
  }
}

/** What is known of those keys that the new state does not have as nodes. `lines`: of the new state. */
async function stillGone(
  renamed: StateComparison['renamed'],
  lines: AsyncIterable<Buffer>,
): Promise<StateComparison['renamed']> {
  if (renamed.size === 0) return renamed
  using sorter = createSorter()
  for (const key of renamed.keys()) sorter.addLines(Buffer.from(`${key}\n`))
  const gone = new Map<string, ReadonlySet<string>>()
  await compareStates(lines, sorter.takeLines(), ({ key }) => gone.set(key, renamed.get(key) as ReadonlySet<string>))
  return gone
}

/**
 * What deletions have to name. A relationship whose ends have other identities now is there if the new state has it by
 * these; otherwise they name it by these. `lines`: of the new state.
 */
async function* toDelete(
  chunks: Iterable<Buffer>,
  comparison: Pick<StateComparison, 'renamed'>,
  lines: () => AsyncIterable<Buffer>,
): AsyncGenerator<Gone> {
  using sorter = createSorter()
  let mayBeThere = false
  for (const chunk of chunks) {
    for (const line of chunk.toString().split('\n')) {
      if (line === '') continue
      const gone = JSON.parse(line) as Gone
      const renamed = isRelationship(gone) ? linesByNewEnds(gone, comparison) : null
      for (const one of renamed ?? []) sorter.addLines(Buffer.from(`${one}\n`))
      if (renamed === null) yield gone
      else mayBeThere = true
    }
  }
  if (!mayBeThere) return
  const found: Gone[] = []
  await compareStates(lines(), sorter.takeLines(), (gone) => found.push(gone))
  yield* found
}

function sumOf(...shapes: PacketShape[]): PacketShape {
  const tally = createShapeTally()
  for (const shape of shapes) tally.merge(shape)
  return tally.read()
}
