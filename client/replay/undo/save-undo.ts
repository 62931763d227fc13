import { bytesText } from '../../../packet/bytes-text.ts'
import { createPacketWriter, type PacketErrors } from '../../../packet/parts/packet-writer.ts'
import { maxPairsPerPart, partLimits } from '../../../packet/parts/part-buffer.ts'
import { ReplayError } from '../errors.ts'
import type { Connection } from '../run/connection.ts'
import { describeFailure, isAbort } from '../run/failures.ts'
import type { Chain, LoadSettings, PacketSource } from '../source/load-part.ts'
import { saveBetween } from './between-ends.ts'
import { saveDeleted } from './deleted.ts'
import { createUndoFiles, openUndo, type UndoDirectory } from './directory.ts'
import { eachPart, type Facts } from './facts.ts'
import { createImages } from './images.ts'
import { saveKept } from './keep-lists.ts'
import { saveNodes } from './nodes.ts'
import { createTargetReader } from './target-reader.ts'

const refused = (problem: string) => new ReplayError('refused', `--undo: ${problem}`)

const undoErrors: PacketErrors = {
  pairTooLarge: (what, limitBytes) =>
    refused(`${what}: its statement/parameter pair is larger than ${bytesText(limitBytes)}`),
  tooManyPairs: (limit) => refused(`the undo has more than ${limit} pairs`),
  notUtf8: () => refused('the target sent a string that is not UTF-8'),
}

interface Undoing {
  undo: UndoDirectory
  facts: Facts
  /** What the undo does to the state of the target. */
  undoes: Chain['undoes']
  isBegun: boolean
  begin: () => Promise<void>
}

/**
 * Reads everything that a packet will touch at the target, before the first transaction, and writes a packet that
 * restores it into a directory. Keeps a complete undo of the same replay, which was read before that replay wrote.
 * `isBegun`: whether a transaction of the replay may have begun. `begin` remembers that one may begin from now on.
 * @throws ReplayError `refused` if anything could not be restored exactly
 */
export async function saveUndo(
  connection: Connection,
  source: PacketSource,
  { undo, facts, undoes, isBegun, begin }: Undoing,
  settings: LoadSettings,
): Promise<void> {
  const files = createUndoFiles(undo)
  const writer = createPacketWriter({
    limits: partLimits(maxPairsPerPart),
    maxPairs: Number.MAX_SAFE_INTEGER,
    errors: undoErrors,
    sink: files.sink,
  })
  try {
    if (await openUndo(undo, isBegun)) return await begin()
    const reader = createTargetReader(connection, facts, settings.signal)
    const images = createImages(facts, reader, writer)
    for await (const [part] of eachPart(source, settings)) {
      const items = part?.items ?? []
      await saveNodes(items, reader, images)
      await saveKept(await saveBetween(items, reader, images), reader, images)
      await saveDeleted(items, reader, images)
    }
    await writer.end()
    await files.complete(reader.used(), undoes, begin)
  } catch (error) {
    await writer.settle()
    await files.discard().catch(() => {})
    if (error instanceof ReplayError || isAbort(error)) throw error
    throw new ReplayError('failed', `the undo cannot be made: ${describeFailure(error)}`, { cause: error })
  }
}
