import type { Pair, Place } from '../../packet/parts/parse-part.ts'
import { createRecogniser } from '../../packet/recognise.ts'
import { type Guard, type GuardOptions, openGuard } from './base/guard.ts'
import { packPart } from './order/packed.ts'
import { survey } from './preflight/needs.ts'
import { createMissing, type PreflightSettings, preflight } from './preflight/preflight.ts'
import { inSequence, nothingDone, partsHeld } from './resume/held.ts'
import { openResume, targetHash } from './resume/resume.ts'
import { atTarget, type Connection, type Target } from './run/connection.ts'
import { createLater } from './run/later.ts'
import { createRunner } from './run/run-batch.ts'
import { lanesOfAuto, runWindow } from './run/run-window.ts'
import { settle } from './run/settle.ts'
import { createTally, type Tally } from './run/transaction.ts'
import type { Chain, PacketSource, PartSource } from './source/load-part.ts'
import { usualWindowBytes, windowsOf } from './source/windows.ts'
import { endUndo } from './undo/directory.ts'
import { readFacts } from './undo/facts.ts'
import { saveUndo } from './undo/save-undo.ts'

export type { PacketSource, PartSource, Target }

export interface ReplayOptions extends PreflightSettings, GuardOptions {
  /** How many transactions may run at once; `auto`: four. Without constraints, and in order, always one. */
  lanes: number | 'auto'
  /**
   * Whether to run all pairs in the order of the packet. Needed if elements that several sub-requests share may have
   * changed at the origin between these; otherwise the order does not matter. Contract 5, order independence.
   */
  inOrder?: boolean
  /** The most rows of a transaction. */
  batchRows: number
  /** Null if the replay need not be resumable. */
  stateFile: string | null
  restart?: boolean
  /** Where to write, before anything is replayed, a packet that brings back what the replay touches. */
  undoDirectory?: string
  /** Receives each pair that the target refuses. Without it, such a pair ends the replay. */
  rejected?: (pair: Pair, place: Place) => Promise<void> | void
  onProgress?: (progress: Progress) => void
  /** Limit of the JSON of parts that run together, bytes. An interruption repeats them; memory holds twice as much. */
  windowBytes?: number
  signal: AbortSignal
}

/** How far a replay is; reported after every transaction. */
export interface Progress {
  /** Parts of which every pair was committed, in this replay or before. */
  partsDone: number
  parts: number
  rows: number
  transactions: number
  rejected: number
}

export interface ReplayReport extends Tally {
  partsDone: number
  /** Parts that an earlier replay of the same state file had done, and that the target still holds. */
  partsSkipped: number
  /** Rejected pairs of the skipped parts. */
  rejectedBefore: number
  lanes: number
  seconds: number
}

/**
 * Replays a packet into a target. It may be interrupted or killed at any moment; the same call continues with its state
 * file. It runs no statement that this service does not write, and writes nothing before the checks of the source and
 * the target have passed. If the manifest lists the constraints, parts are checked one window at a time, and a part
 * after the first window may be refused after earlier parts have been written.
 * @throws ReplayError
 */
export function replay(source: PacketSource, target: Target, options: ReplayOptions): Promise<ReplayReport> {
  const work = (connection: Connection) => replayInto(connection, source, target, options)
  return atTarget(target, 'write', options.signal, work, 'interrupted; the same command continues')
}

async function replayInto(
  target: Connection,
  source: PacketSource,
  { url, database }: Target,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const started = performance.now()
  const { signal, inOrder = false, restart = false, batchRows, onProgress, undoDirectory } = options
  const settings = { recognise: createRecogniser(), windowBytes: options.windowBytes ?? usualWindowBytes, signal }
  const resume = await openResume(options.stateFile, restart)
  const { known } = resume
  const { sha256, needed } = await survey(source, settings)
  // The manifest may omit a constraint that only an undo needs.
  const facts = undoDirectory === undefined ? null : await readFacts(source, settings)
  const constraints = facts?.rules ?? needed
  const found = await preflight(target, constraints, options, signal, facts?.mapped)
  const guard = await openGuard(target, source, options, found.databaseId, signal)
  const connection: Connection = guard === null ? target : { ...target, check: guard.check }
  const { generation } = source
  const packetAndTarget = { sha256, generation, target: targetHash(url, database), databaseId: found.databaseId }
  const replayed = { ...packetAndTarget, replay: resume.idOf(packetAndTarget) }

  const tally = createTally()
  let partsDone = 0
  const tell = () => {
    const { rows, transactions, rejected } = tally
    onProgress?.({ partsDone, parts: source.parts.length, rows, transactions, rejected })
  }
  const onHeld = (parts: number) => {
    partsDone = parts
    tell()
  }
  // A target that lacks constraints is not as the replay left it, and would be slow to read.
  const isChecked = known !== null && found.missing.length === 0
  const reading = { ...settings, lanes: options.lanes, batchRows, mostShown: 0 }
  const held = isChecked
    ? await partsHeld(connection, source, inOrder ? inSequence(known) : known, reading, onHeld)
    : nothingDone
  const due = [...source.parts.keys()].filter((index) => !held.done.includes(index + 1))
  const windows = windowsOf(source, due, settings, packPart)
  // The first window must pass its checks before anything is written, even constraints.
  let window = await windows.next()
  await createMissing(connection, found, signal)
  const undo =
    undoDirectory === undefined ? null : { directory: undoDirectory, replayed, isNew: resume.isNew(replayed.replay) }
  const begin = async () => {
    await resume.begin({ ...replayed, ...held })
    await guard?.begin()
  }
  if (undo === null || facts === null) await begin()
  else {
    const known = { ...facts, mapped: found.useful }
    const undoes = undoesOf(source, guard)
    await saveUndo(connection, source, { undo, facts: known, undoes, isBegun: resume.known !== null, begin }, settings)
  }

  partsDone = held.done.length
  tally.rejected = held.rejected.length
  const lanes = options.withoutConstraints || inOrder ? 1 : options.lanes === 'auto' ? lanesOfAuto : options.lanes
  const running = { onRefused: options.rejected, onCommit: tell, setsAside: !inOrder }
  const runner = createRunner({ connection, tally, lanes, ...running, signal })
  const later = createLater()
  while (!window.done) {
    const parts = window.value
    // The next window is parsed while the target works. Its errors are reported when this window is done.
    const next = windows.next()
    next.catch(() => {})
    const items = parts.flatMap((part) => part.items)
    const refused = await runWindow(items, runner, { lanes, batchRows, inOrder }, tally)
    const ended = later.withhold(parts, refused, runner.takeAside())
    partsDone += ended.parts.length
    await resume.add(ended.parts, ended.refused)
    tell()
    window = await next
  }
  if (later.aside.length > 0) {
    const settling = { connection, source, settings, lanes: { lanes, batchRows }, runner, tally }
    const refused = await settle(settling, later)
    partsDone += later.parts.length
    await resume.add(later.parts, [...later.refused, ...refused])
    tell()
  }
  // A refused pair is not at the target.
  if (tally.rejected === 0) await guard?.end()
  if (undo !== null) await endUndo(undo)
  await resume.end()
  const seconds = (performance.now() - started) / 1_000
  const { done, rejected } = held
  return { ...tally, partsDone, partsSkipped: done.length, rejectedBefore: rejected.length, lanes, seconds }
}

/** What an undo of the replay says about states; null if it leads to none that is known. */
function undoesOf({ chain }: PacketSource, guard: Guard | null): Chain['undoes'] {
  const to = chain?.state ?? null
  return guard === null || to === null ? null : { from: guard.before, to }
}
