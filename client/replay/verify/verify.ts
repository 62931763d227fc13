import type { Pair } from '../../../shared/packet/parts/parse-part.ts'
import { createRecogniser } from '../../../shared/packet/recognise.ts'
import type { Item } from '../order/batches.ts'
import { preflightRead } from '../preflight/preflight.ts'
import { type Connection, connect, type Target } from '../run/connection.ts'
import { interruptible } from '../run/interruptible.ts'
import type { PacketSource } from '../source/packet-source.ts'
import { usualWindowBytes, windowsOf } from '../source/windows.ts'
import type { Difference } from './read-back.ts'
import { createReader, type ReaderSettings } from './reader.ts'
import { addDifferences, createReport, type VerifyReport } from './report.ts'

export interface VerifyOptions extends ReaderSettings {
  /** The fraction of the pairs to compare, drawn at random: above 0, at most 1. */
  sample: number
  onProgress?: (progress: VerifyProgress) => void
  onDifference?: (difference: Difference) => void
  /** Limit of the JSON of parts that are compared together, bytes; twice as much is in memory. */
  windowBytes?: number
}

/** How far a comparison is; reported after every query. */
export interface VerifyProgress {
  partsDone: number
  parts: number
  /** Pairs compared. */
  pairs: number
  /** Differences found. */
  differences: number
}

/**
 * Compares a target with a packet, types included, and writes nothing: they agree when no pair would change anything.
 * Anything that the packet does not mention is not compared. The target should not change during the comparison.
 * @throws ReplayError
 */
export async function verify(source: PacketSource, target: Target, options: VerifyOptions): Promise<VerifyReport> {
  const connection = connect(target, 'read')
  try {
    return await interruptible(options.signal, 'interrupted', () => compare(connection, source, options))
  } finally {
    await connection.close()
  }
}

async function compare(connection: Connection, source: PacketSource, options: VerifyOptions): Promise<VerifyReport> {
  const started = performance.now()
  const { sample, mostShown, windowBytes = usualWindowBytes, signal } = options
  const report = createReport(sample)
  report.missingConstraints = await preflightRead(connection, source.requires?.constraints ?? [], signal)
  const read = createReader(connection, options)
  const progress = { partsDone: 0, parts: source.parts.length, pairs: 0, differences: 0 }
  const settings = { recognise: createRecogniser(), windowBytes }
  for await (const window of windowsOf(source, [...source.parts.keys()], settings, signal)) {
    const items = sampled(
      window.flatMap((part) => part.items),
      sample,
    )
    // One pair may have several items.
    const kinds = new Map(items.map(({ pair, recognised }) => [pair, recognised.kind]))
    for (const kind of kinds.values()) report.pairs[kind]++
    const differing = new Set<Pair>()
    await read(items, (batch, found) => {
      addDifferences(report, found, mostShown)
      for (const difference of found) {
        differing.add(difference.item.pair)
        options.onDifference?.(difference)
      }
      progress.pairs += batch.items.length
      progress.differences += found.length
      options.onProgress?.({ ...progress })
    })
    report.differing += differing.size
    progress.partsDone += window.length
    options.onProgress?.({ ...progress })
  }
  report.seconds = (performance.now() - started) / 1_000
  return report
}

/** Draws pairs at random, each with this probability. @returns all items of these pairs */
function sampled(items: readonly Item[], fraction: number): readonly Item[] {
  if (fraction === 1) return items
  const isChosen = new Map<Pair, boolean>()
  return items.filter(({ pair }) => {
    const chosen = isChosen.get(pair) ?? Math.random() < fraction
    isChosen.set(pair, chosen)
    return chosen
  })
}
