import { mkdir, readdir, rmdir } from 'node:fs/promises'
import type { StatementCounts } from '../../packet/kinds/statement.ts'
import { stringifyLossless } from '../../packet/lossless-json.ts'
import type { Pair } from '../../packet/parts/parse-part.ts'
import { cannotBe, usageError } from '../exit.ts'
import type { Uniqueness } from '../replay/preflight/constraints.ts'
import { createPacketDirectory, isUnfinished } from '../replay/source/packet-directory.ts'

const [begin, separator, end] = ['{"statements":[', ',', ']}']
// The limits of the service. Contract 6.
const pairsPerPart = 5_000
const bytesPerPart = 32 * 1024 * 1024

export type PacketWriter = Awaited<ReturnType<typeof openPacketWriter>>

/**
 * Writes a packet into a directory.
 * @throws Failure (usage) if the directory has files, other than unfinished ones that a killed writer left
 */
export async function openPacketWriter(directory: string) {
  const unwritable = cannotBe('written', `--out: ${directory}`)
  const created = await mkdir(directory, { recursive: true }).catch(unwritable)
  const found = await readdir(directory).catch(unwritable)
  if (!found.every(isUnfinished)) throw usageError(`--out: ${directory} is not empty; name another directory`)
  const files = createPacketDirectory(directory, 'packet.json')
  let number = 0
  let texts: string[] = []
  let bytes = 0

  async function closePart() {
    const part = Buffer.from(begin + texts.join(separator) + end)
    await files.put({ number: ++number, bytes: part, pairs: texts.length }).catch(unwritable)
    texts = []
    bytes = 0
  }

  return {
    /** Adds a pair, with its metadata. */
    async add(pair: Pair): Promise<void> {
      const text = stringifyLossless(pair)
      const more = Buffer.byteLength(text) + separator.length
      const isFull = texts.length === pairsPerPart || begin.length + bytes + more + end.length > bytesPerPart
      if (isFull && texts.length > 0) await closePart()
      texts.push(text)
      bytes += more
    },

    /** Completes the packet. `base` is the digest of the packet that a target must have. */
    async end(contents: { statements: StatementCounts; needed: readonly Uniqueness[] }, base: string): Promise<void> {
      // A packet without pairs is one part with an empty list.
      if (texts.length > 0 || number === 0) await closePart()
      await files.end(contents, { base }).catch(unwritable)
    },

    /** Removes what was written. */
    async discard(): Promise<void> {
      await files.discard()
      // The directory stays if another writer uses it.
      if (created !== undefined) await rmdir(directory).catch(() => {})
    },
  }
}
