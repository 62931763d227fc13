import { randomUUID } from 'node:crypto'
import type { JobReport } from '../../../wire/job.ts'
import * as errors from '../../errors/catalogue.ts'
import { decodeIds, encodeIds, type ListedIds } from '../../publish/select/listed-ids.ts'
import type { NodeTreatment } from '../../publish/write/treatments.ts'
import { selectedKey, selectionKey } from '../../storage/keys.ts'
import type { ByteRange, ObjectStore } from '../../store/object-store.ts'
import { subRequestsPerSlice } from '../job.ts'
import { type Owner, type ReadRequests, type RequestSource, readRequests } from './stored-request.ts'

/**
 * The nodes that a job selects, as one run has listed them: their internal ids in chunks, and the slices that these make.
 * docs/storage.md#selecting
 */
export interface StoredSelection {
  /** The run that has listed them, whose chunks these are. */
  run: string
  slices: SelectedSlice[]
  /** All of `mappedIndices` of each sub-request that leaves them to the constraints of its origin. */
  indices: Record<number, Readonly<Record<string, string>>>
  /** What a slice must know about the other sub-requests. */
  treatments: NodeTreatment[]
  /** What the listing has found. */
  report: JobReport
}

/** Consecutive sub-requests from index `first` on; those that select nodes with some of their nodes, or all. */
export interface SelectedSlice {
  first: number
  pieces: (ChunkRange | null)[]
}

interface ChunkRange extends ByteRange {
  chunk: number
}

/** Bytes of a chunk. A chunk ends after the slice that exceeds them. */
const chunkBytes = 2 * 1024 * 1024

/**
 * Cuts what is listed into slices, and stores chunks of it once there is more than one slice. Memory holds the ids of
 * one slice, and chunks that are on their way to the store.
 */
export function cutSelection(store: ObjectStore, { id, orgName }: Owner, nodesPerSlice: number) {
  const run = randomUUID()
  // Sub-requests that name their ids count as if 20 of them filled a slice.
  const nodesOfOthers = nodesPerSlice / subRequestsPerSlice
  const slices: SelectedSlice[] = []
  // The lists of the first slice. If there is no other, it is built from them.
  let only: (ListedIds | null)[] | null = []
  let open = { first: 0, nodes: 0 }
  let texts: Buffer[] = []
  let bytes = 0
  let chunk = 0
  let puts: Promise<unknown>[] = []

  function flush(): void {
    if (bytes === 0) return
    const put = store.put(selectedKey(orgName, id, run, chunk++), Buffer.concat(texts))
    // `settle` reports a failure.
    put.catch(() => {})
    puts.push(put)
    texts = []
    bytes = 0
  }

  function pieceOf(nodes: ListedIds): ChunkRange {
    const text = encodeIds(nodes)
    const range = { chunk, from: bytes, bytes: text.length }
    texts.push(text)
    bytes += text.length
    return range
  }

  return {
    run,
    /** Takes the next sub-request, or the next nodes of the one before: null if it selects none. */
    add(at: number, nodes: ListedIds | null): void {
      const weight = nodes?.length ?? nodesOfOthers
      const last = slices.at(-1)
      const isNext = last !== undefined && open.first + last.pieces.length === at
      const fits = isNext && last.pieces.length < subRequestsPerSlice && open.nodes + weight <= nodesPerSlice
      if (last === undefined || !fits) {
        if (bytes >= chunkBytes) flush()
        if (last !== undefined) only = null
        open = { first: at, nodes: 0 }
        slices.push({ first: at, pieces: [] })
      }
      open.nodes += weight
      only?.push(nodes)
      slices.at(-1)?.pieces.push(nodes && pieceOf(nodes))
    },
    /** Waits for the chunks that are being stored. @throws storeAway (503) */
    async settle(): Promise<void> {
      const pending = puts
      puts = []
      await Promise.allSettled(pending)
      await Promise.all(pending)
    },
    /** The lists of the only slice; null if there are several. */
    only: () => only,
    /**
     * Stores the selection, unless another run already has. @returns the stored one
     */
    async store(facts: Omit<StoredSelection, 'run' | 'slices'>): Promise<StoredSelection> {
      flush()
      await this.settle()
      const selection = { run, slices, ...facts }
      const outcome = await store.create(selectionKey(orgName, id), Buffer.from(JSON.stringify(selection)))
      // A 412 may refer to our own first PUT whose answer was lost, so check who wrote the object.
      const written = outcome === 'created' ? selection : await readSelection(store, { id, orgName })
      if (written === null) throw errors.storeAway(new Error('the list of a selection had no answer'))
      if (written.run !== run) await this.discard()
      return written
    },
    /** Removes the chunks: for a run whose list does not count. */
    async discard(): Promise<void> {
      await Promise.allSettled(puts)
      for (let at = 0; at < chunk; at++) await store.remove(selectedKey(orgName, id, run, at)).catch(() => {})
    },
  }
}

/** The stored selection of a job; null if no run has listed it. */
export async function readSelection(store: ObjectStore, { id, orgName }: Owner): Promise<StoredSelection | null> {
  const bytes = await store.get(selectionKey(orgName, id))
  return bytes === null ? null : JSON.parse(bytes.toString())
}

/** What a run of one slice of a selection builds. @throws like `readRequests` */
export async function readSelectedSlice(
  source: RequestSource,
  job: Owner,
  slice: number,
): Promise<ReadRequests & { listed: readonly (ListedIds | null)[] }> {
  const selection = await readSelection(source.store, job)
  const cut = selection?.slices[slice]
  if (!selection || !cut) throw errors.requestGone(new Error(`the selection of job ${job.id} is not in the store`))
  const { indices, treatments } = selection
  const { first, pieces } = cut
  const [{ requests, model }, listed] = await Promise.all([
    readRequests(source, job),
    readPieces(source.store, job, selection.run, pieces),
  ])
  const completed = requests.slice(first, first + pieces.length).map((request, at) => {
    const mappedIndices = indices[first + at]
    return mappedIndices ? { ...request, mappedIndices } : request
  })
  return { requests: completed, model, listed, slice: { first, treatments } }
}

/** The nodes of the sub-requests of a slice. */
async function readPieces(store: ObjectStore, { id, orgName }: Owner, run: string, pieces: SelectedSlice['pieces']) {
  const read = async ({ chunk, ...range }: ChunkRange) => {
    const bytes = await store.get(selectedKey(orgName, id, run, chunk), range)
    if (bytes === null) throw errors.requestGone(new Error(`a chunk of the selection of job ${id} is not in the store`))
    return decodeIds(bytes)
  }
  return Promise.all(pieces.map((piece) => piece && read(piece)))
}
