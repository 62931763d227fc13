import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cannotBe, usageError } from './exit.ts'
import { fileAbout, type ReplayingOptions } from './replaying.ts'

const uuid = /^[0-9a-f-]{36}$/

/**
 * The `Idempotency-Key` of an unfinished copy. With it, the same command gets the packet that was published before.
 * Reads the key of an earlier run of the same copy, or makes a new one. The file is stored next to the replay's state
 * file, and holds neither addresses nor secrets.
 * @param words what is copied, and to which target; the name of the file is a digest of them
 */
export async function openCopyKey(words: unknown, { state, restart }: ReplayingOptions) {
  const file = state === undefined ? fileAbout(words, 'copy') : `${state}.copy`
  const found = await readFile(file, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') cannotBe('read', file, '; name another file with --state')(error)
  })
  // A kill may leave an empty file.
  if (found && !uuid.test(found)) throw usageError(`${file} is no file that copy wrote; name another one with --state`)
  const known = restart ? '' : found
  const value = known || randomUUID()
  if (value !== known) {
    await mkdir(dirname(file), { recursive: true })
      .then(() => writeFile(file, value, { mode: 0o600 }))
      .catch(cannotBe('written', `${file}, which remembers how far the copy is,`))
  }
  return { value, forget: () => rm(file, { force: true }) }
}
