import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cannotBe, usageError } from '../exit.ts'
import { writeWhole } from '../replay/whole-file.ts'
import { ServiceError } from '../service/service-error.ts'
import { fileAbout, type ReplayingOptions } from './replaying.ts'

/** One or two keys, a line each. */
const keys = /^([0-9a-f-]{36})(?:\n([0-9a-f-]{36}))?$/

/**
 * The `Idempotency-Key` of an unfinished copy. With it, the same command gets the packet that was published before.
 * The file is stored next to the replay's state file, and holds neither addresses nor secrets. It has the key of the
 * copy that the service accepted last, and a later one while it is unknown whether the service has accepted that.
 * @param words what is copied, and to which target; the name of the file is a digest of them
 */
export async function openCopyKey(words: unknown, { state, restart }: ReplayingOptions) {
  const file = state === undefined ? fileAbout(words, 'copy') : `${state}.copy`
  const found = await readFile(file, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') cannotBe('read', file, '; name another file with --state')(error)
  })
  const known = keys.exec(found ?? '')
  // A kill may leave an empty file.
  if (found && !known) throw usageError(`${file} is no file that copy wrote; name another one with --state`)
  const [, earlier, later] = known ?? []

  const forget = () => rm(file, { force: true })
  const remember = async (...values: (string | undefined)[]) => {
    const text = values.filter((value) => value !== undefined).join('\n')
    if (text === '') return forget()
    await mkdir(dirname(file), { recursive: true })
      .then(() => writeWhole(file, text))
      .catch(cannotBe('written', `${file}, which remembers how far the copy is,`))
  }

  return {
    /** Whether an earlier run of the same copy may have published already. */
    isKnown: earlier !== undefined && !restart,

    /** Publishes with the key of the earlier run, or with a new one, which replaces it once the service accepts it. */
    async publish(send: (key: string) => Promise<string>): Promise<string> {
      const kept = restart ? undefined : (later ?? earlier)
      const value = kept ?? randomUUID()
      if (kept === undefined) await remember(earlier, value)
      try {
        const id = await send(value)
        if (value !== earlier) await remember(value)
        return id
      } catch (error) {
        if (!isRefused(error)) throw error
        if (kept === undefined) await remember(earlier, later)
        if (restart || earlier === undefined || later === undefined || error.status !== 409) throw error
        // The service never accepted the later key, and the packet in the way is that of the earlier one.
        await remember(earlier)
        return send(earlier)
      }
    },

    forget,
  }
}

/** Whether the service has answered that it makes no job. */
const isRefused = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  error.status !== null &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429
