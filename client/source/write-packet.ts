import { hash } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StatementCounts } from '../../shared/packet/kinds/statement.ts'
import { stringifyLossless } from '../../shared/packet/lossless-json.ts'
import { partNames } from '../../shared/packet/names.ts'
import type { Pair } from '../../shared/packet/parts/parse-part.ts'
import { cannotBe, usageError } from '../exit.ts'
import type { Uniqueness } from '../replay/preflight/constraints.ts'
import { type LocalPart, localManifest } from '../replay/source/local-manifest.ts'
import { manifestFile } from './local.ts'

const [begin, separator, end] = ['{"statements":[', ',', ']}']
// The limits of the service. Contract 6.
const pairsPerPart = 5_000
const bytesPerPart = 32 * 1024 * 1024
const name = 'packet.json'

export type PacketWriter = Awaited<ReturnType<typeof openPacketWriter>>

/**
 * Writes a packet into a directory. Until its end, the directory holds no part that a command reads.
 * @throws Failure (usage) if the directory has files, other than unfinished ones that an interrupted writer left
 */
export async function openPacketWriter(directory: string) {
  const created = await mkdir(directory, { recursive: true }).catch(unwritable(directory))
  const found = await readdir(directory).catch(unwritable(directory))
  if (!found.every(isUnfinished)) throw usageError(`--out: ${directory} is not empty; name another directory`)
  await removeUnfinished()

  const parts: Omit<LocalPart, 'fileName'>[] = []
  let texts: string[] = []
  let bytes = 0

  async function removeUnfinished() {
    const left = (await readdir(directory).catch(() => [])).filter(isUnfinished)
    for (const file of left) await rm(join(directory, file), { force: true })
  }

  const write = (file: string, content: string | Buffer) =>
    writeFile(join(directory, file), content).catch(unwritable(join(directory, file)))

  async function closePart() {
    const part = Buffer.from(begin + texts.join(separator) + end)
    await write(unfinished(parts.length), part)
    parts.push({ pairs: texts.length, bytes: part.length, sha256: hash('sha256', part) })
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
      if (texts.length > 0 || parts.length === 0) await closePart()
      const names = partNames(name, parts.length)
      const named = parts.map((part, index) => ({ fileName: names[index] as string, ...part }))
      const rest = [...names, manifestFile]
      await write(unfinished(parts.length), localManifest({ packet: name, parts: named, ...contents }, { base }))
      // The manifest comes last. Until then, one of several parts is known to be missing.
      for (const [index, file] of rest.entries()) {
        await rename(join(directory, unfinished(index)), join(directory, file)).catch(unwritable(directory))
      }
    },

    /** Removes what was written. */
    async discard(): Promise<void> {
      await removeUnfinished()
      if (created !== undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

const unfinished = (index: number) => `.${index + 1}.incomplete`
const isUnfinished = (file: string) => /^\.\d+\.incomplete$/.test(file)

const unwritable = (path: string) => cannotBe('written', `--out: ${path}`)
