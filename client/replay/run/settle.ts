import { clearedBy } from '../../../packet/kinds/kinds.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import { type Pair, type Place, parsePart } from '../../../packet/parts/parse-part.ts'
import { type Batch, batchesOf } from '../order/batches.ts'
import { overRows } from '../order/over-rows.ts'
import { type PackedItem, packedRowsOf, packPart } from '../order/packed.ts'
import type { PacketSource } from '../source/load-part.ts'
import { type WindowSettings, windowsOf } from '../source/windows.ts'
import { type Connection, inSession } from './connection.ts'
import { isTimedOut, remedyFor, targetFailed } from './failures.ts'
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
/** JSON of the pairs that one transaction settles together, bytes. Memory holds twice as much. */
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
  settling.runner.setAsideAtMost(0)
  for await (const items of itemsOf(settling, due, isDue)) {
    await runItems(items, settling.lanes, settling.runner.runBatch)
    refused.push(...settling.runner.takeRefused())
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
  if (due.length > 0) refused.push(...(await runInGroups(settling, due)))
  return refused
}

/** Runs pairs in groups, each in one transaction, whichever parts they are from. @returns the refused places */
async function runInGroups(settling: Settling, places: readonly Place[]): Promise<Place[]> {
  const refused: Place[] = []
  let [group, bytes]: [PackedItem[], number] = [[], 0]
  async function runGroup() {
    await runTogether(settling, group)
    const found = settling.runner.takeRefused()
    for (const { place, recognised } of group) if (!found.has(place)) settling.tally.pairs[recognised.kind]++
    refused.push(...found)
    ;[group, bytes] = [[], 0]
  }
  for await (const items of itemsAt(settling, places)) {
    for (const item of items) {
      if (group.length === mostTogether || (group.length > 0 && bytes + item.bytes > togetherBytes)) await runGroup()
      group.push(detached(item))
      bytes += item.bytes
    }
  }
  await runGroup()
  return refused
}

/** The item with its own row and pair only, so that the rest of its part need not stay in memory. */
function detached(item: PackedItem): PackedItem {
  const { part, place, from, to } = item
  const text = stringifyLossless(part.pairs()[place.pair - 1])
  function pairs(): Pair[] {
    const all: Pair[] = []
    all[place.pair - 1] = parsePart(`{"statements":[${text}]}`)[0] as Pair
    return all
  }
  const own = { number: part.number, items: [], rows: Buffer.from(part.rows.subarray(from, to)), pairs }
  return { ...item, part: own, from: 0, to: to - from }
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

/** Runs pairs in one transaction, in halves where it would be too large, and hands over those that are refused. */
async function runTogether(settling: Settling, given: readonly PackedItem[]): Promise<void> {
  const { connection, lanes, runner, tally } = settling
  let items = given
  const run = (batches: Batch<PackedItem>[], ends: 'commit' | 'rollback') =>
    withRetries(() => inOneTransaction(connection, batches, ends), runner.retries)
  async function halve() {
    const middle = Math.ceil(items.length / 2)
    for (const half of [items.slice(0, middle), items.slice(middle)]) await runTogether(settling, half)
  }
  for (let lookedFor = 0; items.length > 0; lookedFor++) {
    let reason: unknown
    try {
      const { committed } = await run(batchesOf(items, lanes.batchRows), 'commit')
      for (const one of committed) addCommitted(tally, one)
      return
    } catch (error) {
      const remedy = remedyFor(error)
      if (remedy !== 'find the pair' && remedy !== 'halve') throw targetFailed(error)
      if ((remedy === 'halve' || isTimedOut(error)) && items.length > 1) return halve()
      // Pairs that were set aside only because they shared a batch must not be lost with the others.
      if (lookedFor === 0) {
        items = await thoseThatFailAlone(settling, items)
        continue
      }
      if (lookedFor > mostLookedFor) {
        for (const item of items) await runner.refuse(item, error)
        return
      }
      reason = error
    }
    const { failure } = await run(batchesOf(items, 1), 'rollback').catch((error) => {
      throw targetFailed(error)
    })
    if (failure === null) {
      // Only the commit fails.
      if (items.length > 1) return halve()
      return runner.refuse(items[0] as PackedItem, reason)
    }
    await runner.refuse(failure.item, failure.error)
    items = items.filter((item) => item !== failure.item)
  }
}

async function thoseThatFailAlone({ lanes, runner }: Settling, items: readonly PackedItem[]) {
  runner.setAsideAtMost(1)
  await runItems(items, lanes, runner.runBatch)
  runner.setAsideAtMost()
  const failed = new Set(runner.takeAside())
  return items.filter(({ place }) => failed.has(place))
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
          if (ends === 'rollback' && remedyFor(error) === 'find the pair' && !isTimedOut(error))
            return { committed, failure: { item, error } }
          throw error
        }
      }
      if (ends === 'commit') {
        await connection.check?.(transaction)
        await transaction.commit()
      }
      return { committed, failure: null }
    } finally {
      await transaction.close()
    }
  })
}
