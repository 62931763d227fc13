import { clearedBy } from '../../../shared/packet/kinds/kinds.ts'
import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import { type Batch, batchesOf } from '../order/batches.ts'
import { overRows } from '../order/over-rows.ts'
import { type PackedItem, packedRowsOf, packPart } from '../order/packed.ts'
import type { PacketSource } from '../source/load-part.ts'
import { type WindowSettings, windowsOf } from '../source/windows.ts'
import { type Connection, inSession } from './connection.ts'
import { remedyFor, targetFailed } from './failures.ts'
import { isDependent, type Later } from './later.ts'
import { withRetries } from './retry.ts'
import type { Runner } from './run-batch.ts'
import { type Lanes, runItems, runWindow } from './run-window.ts'
import { PackedRows } from './sending.ts'
import { addCommitted, type Committed, runRows, type Tally } from './transaction.ts'

/**
 * Pairs that one transaction settles together, each with a value that another of them holds. If a value wanders through
 * more pairs, the rest is refused.
 */
const mostTogether = 20_000
/** JSON of the parts whose pairs are settled together, bytes. Memory holds twice as much. */
const togetherBytes = 64 * 1024 * 1024
/** Refused pairs that are looked for one by one. After them, all remaining pairs of a transaction count as refused. */
const mostLookedFor = 100

interface Settling {
  connection: Connection
  source: PacketSource
  settings: WindowSettings
  lanes: Lanes
  runner: Runner
  tally: Tally
}

/**
 * Runs pairs that were set aside because another element of the target held a unique value, now that all other pairs
 * have run: a cleanup or another upsert may have freed it. Repeats them while at least half of them succeed. Then takes
 * the values away from what the remaining pairs set, and runs these, in one transaction: so values can be exchanged, and
 * the target never loses one that it does not get back.
 * @returns the places of the pairs that the target refuses all the same.
 */
export async function settle(settling: Settling, later: Later): Promise<Place[]> {
  const refused = await runAside(settling, later.aside)
  const due = new Set(later.parts)
  const known = new Set([...later.refused, ...refused].map(placeText))
  const isDue = (item: PackedItem) => due.has(item.place.part) && isDependent(item) && !known.has(placeText(item.place))
  for await (const items of itemsOf(settling, due, isDue)) {
    await runItems(items, settling.lanes, settling.runner.runBatch)
    refused.push(...settling.runner.takeRefused(), ...settling.runner.takeAside())
  }
  return refused
}

async function runAside(settling: Settling, aside: readonly Place[]): Promise<Place[]> {
  const { runner, lanes, tally } = settling
  const refused: Place[] = []
  let due = aside
  for (let before = Number.POSITIVE_INFINITY; due.length > 0 && due.length <= before / 2; ) {
    before = due.length
    for await (const items of itemsAt(settling, due)) {
      refused.push(...(await runWindow(items, runner, { ...lanes, inOrder: false }, tally)))
    }
    due = runner.takeAside()
  }
  const together = { ...settling, settings: { ...settling.settings, windowBytes: togetherBytes } }
  if (due.length === 0) return refused
  for await (const items of itemsAt(together, due)) {
    for (let from = 0; from < items.length; from += mostTogether) {
      await runTogether(settling, items.slice(from, from + mostTogether))
    }
    const found = runner.takeRefused()
    for (const { place, recognised } of items) if (!found.has(place)) tally.pairs[recognised.kind]++
    refused.push(...found)
  }
  return refused
}

/** Reads the parts that have these places again, window by window. */
async function* itemsAt({ source, settings }: Settling, places: readonly Place[]): AsyncGenerator<PackedItem[]> {
  const pairs = Map.groupBy(places, ({ part }) => part)
  const wanted = new Map([...pairs].map(([part, of]) => [part, new Set(of.map(({ pair }) => pair))]))
  const isWanted = ({ place }: PackedItem) => wanted.get(place.part)?.has(place.pair) === true
  yield* itemsOf({ source, settings }, new Set(wanted.keys()), isWanted)
}

async function* itemsOf(
  { source, settings }: Pick<Settling, 'source' | 'settings'>,
  parts: ReadonlySet<number>,
  isWanted: (item: PackedItem) => boolean,
): AsyncGenerator<PackedItem[]> {
  const indexes = [...parts].toSorted((a, b) => a - b).map((number) => number - 1)
  for await (const window of windowsOf(source, indexes, settings, packPart)) {
    yield window.flatMap(({ items }) => items.filter(isWanted))
  }
}

const placeText = ({ part, pair }: Place): string => `${part} ${pair}`

async function runTogether(settling: Settling, given: readonly PackedItem[]): Promise<void> {
  const { connection, lanes, runner, tally } = settling
  let items = given
  const run = (batches: Batch<PackedItem>[], ends: 'commit' | 'rollback') =>
    withRetries(() => inOneTransaction(connection, batches, ends), runner.retries)
  for (let lookedFor = 0; items.length > 0; lookedFor++) {
    try {
      const { committed } = await run(batchesOf(items, lanes.batchRows), 'commit')
      for (const one of committed) addCommitted(tally, one)
      return
    } catch (error) {
      const remedy = remedyFor(error)
      if (remedy === 'halve' && items.length > 1) {
        const middle = Math.ceil(items.length / 2)
        for (const half of [items.slice(0, middle), items.slice(middle)]) await runTogether(settling, half)
        return
      }
      if (remedy !== 'find the pair' && remedy !== 'halve') throw targetFailed(error)
      if (lookedFor === mostLookedFor) {
        for (const item of items) await runner.refuse(item, error)
        return
      }
    }
    const { failure } = await run(batchesOf(items, 1), 'rollback')
    if (failure === null) continue
    await runner.refuse(failure.item, failure.error)
    items = items.filter((item) => item !== failure.item)
  }
}

/**
 * Clears what the batches set, and runs them, in one transaction. One that only looks for the first pair that the target
 * refuses is rolled back.
 */
async function inOneTransaction(connection: Connection, batches: Batch<PackedItem>[], ends: 'commit' | 'rollback') {
  return inSession(connection, async (session) => {
    const transaction = await session.beginTransaction()
    try {
      for (const { recognised, items } of batches) {
        const text = clearedBy(recognised)
        if (text === null) continue
        const rows = new PackedRows(packedRowsOf(items))
        await transaction.run(overRows({ text, parameters: recognised.parameters }), { rows })
      }
      const committed: Committed[] = []
      for (const batch of batches) {
        try {
          committed.push(await runRows(transaction, batch))
        } catch (error) {
          const item = batch.items[0] as PackedItem
          if (ends === 'rollback' && remedyFor(error) === 'find the pair')
            return { committed, failure: { item, error } }
          throw error
        }
      }
      if (ends === 'commit') await transaction.commit()
      return { committed, failure: null }
    } finally {
      await transaction.close()
    }
  })
}
