import { type FileHandle, open } from 'node:fs/promises'
import { stringifyLossless } from '../shared/replay/lossless-json.ts'
import type { Pair } from '../shared/replay/pair.ts'
import { usageError } from './exit.ts'

const [begin, end] = ['{"statements":[', ']}\n']

/** A part file of pairs that the target refused. It is whole after each of them. */
export interface Rejects {
  add(pair: Pair): Promise<void>
  close(): Promise<void>
}

/** Creates the file. @throws Failure (usage) if it exists: it may hold what an earlier run left */
export async function openRejects(file: string): Promise<Rejects> {
  const handle: FileHandle = await open(file, 'wx', 0o600).catch((error) => {
    throw usageError(
      `--rejects: ${file} ${error.code === 'EEXIST' ? 'exists; name another file' : `cannot be written (${error.code})`}`,
    )
  })
  let length = 0
  const append = async (text: string) => {
    const bytes = Buffer.from(text + end)
    await handle.write(bytes, 0, bytes.length, length)
    length += bytes.length - end.length
  }
  await append(begin)
  return {
    add: (pair) => append(`${length > begin.length ? ',\n' : ''}${stringifyLossless(pair)}`),
    close: () => handle.close(),
  }
}
