import { type FileHandle, lstat, open, readFile, rm } from 'node:fs/promises'
import { stringifyLossless } from '../../packet/lossless-json.ts'
import { type Pair, parsePart } from '../../packet/parts/parse-part.ts'
import { cannotBe, usageError } from '../exit.ts'

const [begin, separator, end] = ['{"statements":[', ',\n', ']}\n']

/** A part file with the pairs that the target refused. The file is complete after each pair. */
export type Rejects = Awaited<ReturnType<typeof openRejects>>

/** Creates the file, or continues the one of an earlier run. @throws Failure (usage) if the path has any other file */
export async function openRejects(file: string) {
  const unwritable = cannotBe('written', `--rejects: ${file}`)
  const earlier = await readEarlier(file)
  const handle = await open(file, earlier ? 'r+' : 'wx', 0o600).catch(unwritable)
  let count = earlier?.length ?? 0
  let length = Buffer.byteLength(begin + (earlier ?? []).join(separator))

  async function append(text: string): Promise<void> {
    try {
      await writeAt(handle, text + end, length)
    } catch (error) {
      await handle.truncate(length)
      await writeAt(handle, end, length)
      cannotBe('written', `--rejects: ${file}`, '; the same command continues when it can')(error)
    }
    length += Buffer.byteLength(text)
  }

  if (!earlier) await writeAt(handle, begin + end, 0).catch(unwritable)
  const known = new Set(earlier)
  return {
    /** How many pairs of earlier runs the file had when it was opened. */
    earlier: count,
    /** How many pairs the file has. */
    count: () => count,
    /** Adds a pair, unless an earlier run did. */
    async add(pair: Pair): Promise<void> {
      const text = stringifyLossless(pair)
      if (known.has(text)) return
      await append(count === 0 ? text : separator + text)
      count++
    },
    /** Removes the file if it has no pairs. */
    async close(): Promise<void> {
      await handle.close()
      if (count === 0) await rm(file, { force: true })
    },
  }
}

/** The pairs that an earlier run wrote, as they stand in the file; null if there is no file. */
async function readEarlier(file: string): Promise<string[] | null> {
  const found = await lstat(file).catch(() => null)
  if (found === null) return null
  const pairs = found.isFile()
    ? pairsOf(await readFile(file, 'utf8').catch(cannotBe('written', `--rejects: ${file}`)))
    : null
  if (pairs !== null) return pairs
  throw usageError(`--rejects: ${file} exists, and is no file that --rejects wrote; name another file`)
}

/** Null if the content is not exactly what this client would write. */
function pairsOf(content: string): string[] | null {
  try {
    const pairs = parsePart(content).map(stringifyLossless)
    return begin + pairs.join(separator) + end === content ? pairs : null
  } catch {
    return null
  }
}

/** Writes a whole text. One call of `write` may write only part of it, for example when the disk gets full. */
async function writeAt(handle: FileHandle, text: string, position: number): Promise<void> {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
  }
}
