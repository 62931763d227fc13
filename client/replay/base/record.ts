import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { ReplayError } from '../errors.ts'
import { writeWhole } from '../whole-file.ts'

const chain = z.strictObject({
  root: z.string(),
  packet: z.string(),
  state: z.string().nullable(),
  to: z.string().nullable(),
  /** The origin of the marker in the target; null if there was none. */
  origin: z.string().nullable(),
})
/** What a client remembers of a chain of packets at a target. */
export type Remembered = z.infer<typeof chain>

const record = z.strictObject({ version: z.literal(1), databaseId: z.string().nullable(), chains: z.array(chain) })

/** Chains that a client remembers of a target. Beyond this limit it forgets those that it used least recently. */
const mostChains = 1_000

/** What this client has replayed into a target, in a file. Without a file, nothing. */
export async function openRecord(file: string | null, databaseId: string | null) {
  const chains = file === null ? [] : await readChains(file, databaseId)
  return {
    chains,

    /** Replaces what is remembered of a chain. */
    async put(before: Remembered | null, after: Remembered | null): Promise<void> {
      if (file === null) return
      const others = (await readChains(file, databaseId)).filter(
        ({ root, packet }) => ![before, after].some((one) => one?.root === root && one.packet === packet),
      )
      const kept = (after === null ? others : [after, ...others]).slice(0, mostChains)
      await write(file, { version: 1, databaseId, chains: kept })
    },
  }
}

async function readChains(file: string, databaseId: string | null): Promise<Remembered[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new ReplayError('refused', `${file}, which remembers what the target has, cannot be read (${error.code})`)
  })
  if (text === null) return []
  try {
    const found = record.parse(JSON.parse(text))
    // Another database at the same address has none of it.
    return found.databaseId === databaseId ? found.chains : []
  } catch (cause) {
    throw new ReplayError('refused', `${file} does not say what the target has; remove it`, { cause })
  }
}

async function write(file: string, content: z.infer<typeof record>): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, `${JSON.stringify(content)}\n`)
  } catch (cause) {
    const problem = `cannot be written (${(cause as NodeJS.ErrnoException).code})`
    throw new ReplayError('failed', `${file}, which remembers what the target has, ${problem}`, { cause })
  }
}
