import type { Target } from '../run/connection.ts'
import type { PacketSource } from '../source/load-part.ts'
import { type VerifyOptions, type VerifyReport, verify } from '../verify/verify.ts'
import { createSelection, type KeyPiece, readKeys } from './key-set.ts'

/** The packets that lead to a state, the newest first, and the keys of the state. */
export interface StateSource {
  packets: readonly [PacketSource, ...PacketSource[]]
  keys: readonly KeyPiece[]
}

/** What a comparison with a state has found; each difference names its packet. */
export interface StateReport extends VerifyReport {
  first: (VerifyReport['first'][number] & { packet: string })[]
}

/**
 * Compares a target with the whole state that the newest packet of a chain leads to. Memory holds 43 bytes a key.
 * @throws ReplayError
 */
export async function verifyState(
  { packets, keys }: StateSource,
  target: Target,
  options: VerifyOptions,
): Promise<StateReport> {
  const [newest] = packets
  const started = performance.now()
  const select = createSelection(await readKeys(newest.name, keys, options.signal))
  const parts = packets.reduce((sum, packet) => sum + packet.parts.length, 0)
  const done = { partsDone: 0, pairs: 0, differences: 0 }
  let whole: StateReport | null = null
  for (const packet of packets) {
    const report = await verify(packet, target, {
      ...options,
      select,
      onProgress: ({ partsDone, pairs, differences }) =>
        options.onProgress?.({
          partsDone: done.partsDone + partsDone,
          parts,
          pairs: done.pairs + pairs,
          differences: done.differences + differences,
        }),
    })
    done.partsDone += packet.parts.length
    done.pairs += sumOf(report.pairs)
    done.differences += sumOf(report.differences)
    const named = { ...report, first: report.first.map((one) => ({ ...one, packet: packet.name })) }
    whole = whole === null ? named : joined(whole, named, options.mostShown)
  }
  return { ...(whole as StateReport), seconds: (performance.now() - started) / 1_000 }
}

function joined(one: StateReport, other: StateReport, mostShown: number): StateReport {
  return {
    ...one,
    pairs: addedUp(one.pairs, other.pairs),
    differing: one.differing + other.differing,
    differences: addedUp(one.differences, other.differences),
    first: [...one.first, ...other.first].slice(0, mostShown),
  }
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const addedUp = <K extends string>(one: Record<K, number>, other: Record<K, number>) =>
  Object.fromEntries(Object.entries<number>(one).map(([key, count]) => [key, count + other[key as K]])) as Record<
    K,
    number
  >
