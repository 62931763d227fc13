import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { usageError } from './exit.ts'
import { fileAbout } from './replaying.ts'

/** The `Idempotency-Key` of a copy that has not finished: the same command gets the packet published before. */
export interface CopyKey {
  value: string
  forget(): Promise<void>
}

const uuid = /^[0-9a-f-]{36}$/

/**
 * Takes up the key of an earlier run of the same copy, or makes a new one. The file names neither addresses nor secrets.
 * @param words what is copied, and where.
 */
export async function openCopyKey(words: unknown, isNew: boolean): Promise<CopyKey> {
  const file = fileAbout(words, 'copy')
  const known = isNew ? '' : await readFile(file, 'utf8').catch(() => '')
  const value = uuid.test(known) ? known : randomUUID()
  await mkdir(dirname(file), { recursive: true })
    .then(() => writeFile(file, value, { mode: 0o600 }))
    .catch(({ code }) => {
      throw usageError(`${file}, which remembers how far the copy is, cannot be written (${code})`)
    })
  return { value, forget: () => rm(file, { force: true }) }
}
