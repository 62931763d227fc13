import { hash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { StatementCounts } from '../../../shared/packet/kinds/statement.ts'
import type { PartSink } from '../../../shared/packet/parts/packet-writer.ts'
import { ReplayError } from '../errors.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { type OneReplay, otherThan, stateSchema } from '../resume/resume.ts'
import { type LocalPart, localManifest } from '../source/local-manifest.ts'
import { writeWhole } from '../whole-file.ts'

/** Identifies the packet, the target and the replay, as in the state file. */
const marker = stateSchema.omit({ done: true, rejected: true }).extend({
  /** Nothing is replayed before the stage is `complete`. It is `ended` when the whole packet is replayed. */
  stage: z.enum(['reading', 'complete', 'ended']),
})

export interface UndoDirectory {
  directory: string
  replayed: OneReplay
}

// Its name cannot be the name of a part.
const markerFile = 'undo.state'
const manifestFile = 'manifest.json'
const partName = (number: number) => `undo-${String(number).padStart(6, '0')}.json`
const isOurs = (name: string) => /^(undo-\d+\.json|undo\.state|manifest\.json)(\.new)?$/.test(name)

/**
 * Opens the directory of an undo. `isBegun`: whether a transaction of the replay may have begun.
 * @returns whether the undo is complete. @throws ReplayError `refused` if it holds anything else.
 */
export async function openUndo(undo: UndoDirectory, isBegun: boolean): Promise<boolean> {
  const { directory, replayed } = undo
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const names = await readdir(directory)
  const known = names.includes(markerFile) ? await readMarker(directory) : null
  // The marker is written first. An interruption may have left it under its temporary name.
  if (known === null) {
    if (names.some((name) => name !== `${markerFile}.new`)) throw refused(directory, 'holds something else')
  } else {
    const { stage } = known
    if (otherThan(replayed, known) !== null) throw refused(directory, 'holds the undo of another replay')
    if (stage === 'ended') throw refused(directory, 'holds the undo of a replay that has ended')
    if (stage === 'complete') {
      if (known.replay === replayed.replay) return true
      // That replay may have ended without --undo, and others may have changed the target since.
      throw refused(directory, 'holds the undo of an earlier replay', 'go on without --undo to keep it, or ')
    }
  }
  if (isBegun) {
    const hint = 'go on without it, or start over with --restart'
    throw new ReplayError('refused', `the replay was begun without --undo; ${hint}`)
  }
  for (const name of names.filter(isOurs)) await rm(join(directory, name))
  await writeStage(undo, 'reading')
  return false
}

const refused = (directory: string, problem: string, orElse = '') =>
  new ReplayError('refused', `--undo: ${directory} ${problem}; ${orElse}name another directory`)

async function readMarker(directory: string) {
  try {
    return marker.parse(JSON.parse(await readFile(join(directory, markerFile), 'utf8')))
  } catch (cause) {
    throw new ReplayError('refused', `--undo: ${join(directory, markerFile)} cannot be read`, { cause })
  }
}

const writeStage = ({ directory, replayed }: UndoDirectory, stage: z.infer<typeof marker>['stage']): Promise<void> =>
  writeWhole(join(directory, markerFile), JSON.stringify({ version: 1, ...replayed, stage }))

export const endUndo = (undo: UndoDirectory): Promise<void> => writeStage(undo, 'ended')

/** Writes the parts of an undo, and at its end the manifest. */
export function createUndoFiles(undo: UndoDirectory) {
  const { directory } = undo
  const parts: LocalPart[] = []
  const statements: StatementCounts = {}
  const sink: PartSink = async (part) => {
    const fileName = partName(part.number)
    const { pairs, bytes } = part
    parts[part.number - 1] = { fileName, pairs, bytes: bytes.length, sha256: hash('sha256', bytes) }
    for (const [kind, count] of Object.entries(part.statements) as [keyof StatementCounts, number][]) {
      statements[kind] = (statements[kind] ?? 0) + count
    }
    await writeWhole(join(directory, fileName), bytes)
  }

  return {
    sink,
    async complete(needed: readonly Uniqueness[]): Promise<void> {
      const forms = { parameterSyntax: 'dollar', numbers: 'plain' }
      const manifest = localManifest({ packet: 'undo', parts, statements, needed }, forms)
      await writeWhole(join(directory, manifestFile), manifest)
      // If the machine crashes after the target has changed, the directory must still list these files.
      const handle = await open(directory, 'r')
      await handle.sync().finally(() => handle.close())
      await writeStage(undo, 'complete')
    },
  }
}
