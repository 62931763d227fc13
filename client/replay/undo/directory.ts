import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { StatementCounts } from '../../../packet/kinds/statement.ts'
import type { SealedPart } from '../../../packet/parts/packet-writer.ts'
import { ReplayError } from '../errors.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { type OneReplay, otherThan, stateSchema } from '../resume/resume.ts'
import type { Chain } from '../source/load-part.ts'
import { createPacketDirectory, isUnfinished, manifestFile } from '../source/packet-directory.ts'
import { writeWhole } from '../whole-file.ts'

/** Identifies the packet, the target and the replay, as in the state file. */
const marker = stateSchema.omit({ done: true, rejected: true }).extend({
  /** Nothing is replayed before the stage is `complete`. It is `ended` when the whole packet is replayed. */
  stage: z.enum(['beginning', 'complete', 'ended']),
})
type Stage = z.infer<typeof marker>['stage']

export interface UndoDirectory {
  directory: string
  replayed: OneReplay
  /** Whether no other process can know the id of the replay. */
  isNew: boolean
}

// Its name cannot be the name of a part.
const markerFile = 'undo.state'

/**
 * Opens the directory of an undo. `isBegun`: whether a transaction of the replay may have begun.
 * @returns whether the undo is complete. @throws ReplayError `refused` if the directory holds anything else.
 */
export async function openUndo(undo: UndoDirectory, isBegun: boolean): Promise<boolean> {
  const { directory, replayed } = undo
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const names = await readdir(directory)
  const known = names.includes(markerFile) ? await readMarker(directory) : null
  if (known === null) {
    if (!names.every(isUnfinished)) throw refused(directory, 'holds something else')
  } else {
    const { stage } = known
    if (otherThan(replayed, known) !== null) throw refused(directory, 'holds the undo of another replay')
    const isOwn = known.replay === replayed.replay
    if (stage === 'ended' && !isOwn) throw refused(directory, 'holds the undo of a replay that has ended')
    const isWritten = stage !== 'beginning' || names.includes(manifestFile)
    if (isOwn && isWritten) {
      if (stage === 'beginning') await writeStage(undo, 'complete')
      return true
    }
    if (stage === 'beginning') throw refused(directory, 'holds the undo of a replay that has not begun')
    // That replay may have ended without --undo, and others may have changed the target since.
    throw refused(directory, 'holds the undo of an earlier replay', 'go on without --undo to keep it, or ')
  }
  if (isBegun) {
    const hint = 'go on without it, or start over with --restart'
    throw new ReplayError('refused', `the replay was begun without --undo, or with another directory; ${hint}`)
  }
  return false
}

const refused = (directory: string, problem: string, orElse = '') =>
  new ReplayError('refused', `--undo: ${directory} ${problem}; ${orElse}name another directory`)

async function readMarker(directory: string) {
  try {
    return marker.parse(JSON.parse(await readFile(join(directory, markerFile), 'utf8')))
  } catch (cause) {
    throw new ReplayError('refused', `--undo: ${join(directory, markerFile)} cannot be read; name another directory`, {
      cause,
    })
  }
}

const textOf = ({ replayed }: UndoDirectory, stage: Stage): string => JSON.stringify({ version: 1, ...replayed, stage })

const writeStage = (undo: UndoDirectory, stage: Stage): Promise<void> =>
  writeWhole(join(undo.directory, markerFile), textOf(undo, stage))

/** @throws ReplayError `failed` if the directory cannot be written */
export async function endUndo(undo: UndoDirectory): Promise<void> {
  await writeStage(undo, 'ended').catch((cause) => {
    const problem = `cannot be written (${cause.code}); the same command continues when it can`
    throw new ReplayError('failed', `--undo: ${undo.directory} ${problem}`, { cause })
  })
}

/**
 * Two replays may have found the directory free. Only the first that gets here may write to the target: the undo of the
 * other may have read what the first wrote.
 */
async function claim(undo: UndoDirectory): Promise<void> {
  const file = join(undo.directory, markerFile)
  const handle = await open(file, 'wx', 0o600).catch((error) => {
    throw error.code === 'EEXIST' ? refused(undo.directory, 'holds the undo of another replay') : error
  })
  try {
    await handle.writeFile(textOf(undo, 'beginning'))
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true }).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** Writes the parts of an undo, and at its end the manifest. */
export function createUndoFiles(undo: UndoDirectory) {
  const files = createPacketDirectory(undo.directory, 'undo.json', 0o600)
  const statements: StatementCounts = {}
  let [isClaimed, hasBegun] = [false, false]
  return {
    async sink(part: SealedPart): Promise<void> {
      for (const [kind, count] of Object.entries(part.statements) as [keyof StatementCounts, number][]) {
        statements[kind] = (statements[kind] ?? 0) + count
      }
      await files.put(part)
    },

    /**
     * `begin` remembers that a transaction may begin from now on.
     * @throws ReplayError `refused` if another replay has completed an undo in this directory meanwhile
     */
    async complete(needed: readonly Uniqueness[], undoes: Chain['undoes'], begin: () => Promise<void>): Promise<void> {
      const more = { parameterSyntax: 'dollar', numbers: 'plain', ...(undoes === null ? {} : { undoes }) }
      await files.end({ statements, needed }, more, async () => {
        await claim(undo)
        isClaimed = true
      })
      await begin()
      hasBegun = true
      await writeStage(undo, 'complete')
    },

    /** Removes what was written, unless this replay may begin, or another process may have taken the undo for its own. */
    async discard(): Promise<void> {
      if (hasBegun || (isClaimed && !undo.isNew)) return
      await files.discard()
      if (isClaimed) await rm(join(undo.directory, markerFile), { force: true })
    },
  }
}
