import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { usageError } from './exit.ts'
import { fileAbout, type ReplayingOptions } from './replaying.ts'

/** The `Idempotency-Key` of a copy that has not finished: the same command gets the packet published before. */
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
 * Takes up the key of an earlier run of the same copy, or makes a new one. The file is beside the state file of the
 * replay, and holds neither addresses nor secrets.
 * @param words what is copied, and where.
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
