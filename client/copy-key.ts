import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { usageError } from './exit.ts'
import { fileAbout, type ReplayingOptions } from './replaying.ts'

/** The `Idempotency-Key` of an unfinished copy. With it, the same command gets the packet that was published before. */
export interface CopyKey {
  value: string
  forget(): Promise<void>
}

async function writeKey(file: string, value: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, value, { mode: 0o600 })
}

const uuid = /^[0-9a-f-]{36}$/

/**
 * Reads the key of an earlier run of the same copy, or makes a new one. The file is stored next to the replay's state
 * file, and holds neither addresses nor secrets.
 * @param words what is copied, and to which target; the name of the file is a digest of them
 */
export async function openCopyKey(
  words: unknown,
  { state, restart }: Pick<ReplayingOptions, 'state' | 'restart'>,
): Promise<CopyKey> {
  const file = state === undefined ? fileAbout(words, 'copy') : `${state}.copy`
  const known = restart ? '' : await readFile(file, 'utf8').catch(() => '')
  const value = uuid.test(known) ? known : randomUUID()
  await (value === known ? Promise.resolve() : writeKey(file, value)).catch(({ code }) => {
    throw usageError(`${file}, which remembers how far the copy is, cannot be written (${code})`)
  })
  return { value, forget: () => rm(file, { force: true }) }
}
