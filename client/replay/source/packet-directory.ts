import { hash, randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { oldestServer, uniqueness } from '../../../packet/cypher/schema.ts'
import type { StatementCounts } from '../../../packet/kinds/statement.ts'
import { partNames } from '../../../packet/names.ts'
import { packetDigest } from '../../../packet/parts/packet-digest.ts'
import type { SealedPart } from '../../../packet/parts/packet-writer.ts'
import type { Uniqueness } from '../preflight/constraints.ts'

interface Contents {
  statements: StatementCounts
  /** The uniqueness constraints that a target needs. */
  needed: readonly Uniqueness[]
}

export const manifestFile = 'manifest.json'

/** Whether a file is one that a writer leaves when it is killed. */
export const isUnfinished = (file: string): boolean => /^\..+\.incomplete$/.test(file)

/** What a target needs for a packet whose pairs find nodes by these properties. */
export const requiresOf = (needed: readonly Uniqueness[]) => ({
  server: oldestServer,
  constraints: needed.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
})

/** Writes the packet `name` into a directory. Until its end, the directory holds no file that a command reads. */
export function createPacketDirectory(directory: string, name: string, mode = 0o666) {
  // Several writers may be at work in one directory, and only one of them may reach its end.
  const run = randomUUID()
  const named = new Set<string>()
  const parts: { pairs: number; bytes: number; sha256: string }[] = []
  const unfinished = (number: number) => `.${run}-${number}.incomplete`
  const write = (number: number, content: string | Buffer) =>
    writeFile(join(directory, unfinished(number)), content, { mode, flush: true })

  async function remove(isMeant: (file: string) => boolean): Promise<void> {
    const files = await readdir(directory).catch(() => [])
    for (const file of files.filter(isMeant)) await rm(join(directory, file), { force: true })
  }

  return {
    async put({ number, bytes, pairs }: Pick<SealedPart, 'number' | 'bytes' | 'pairs'>): Promise<void> {
      parts[number - 1] = { pairs, bytes: bytes.length, sha256: hash('sha256', bytes) }
      await write(number, bytes)
    },

    /**
     * Completes the packet: `more` are further fields of its manifest, which has the form of a stored one. Contract 7.
     * `claim` runs when everything is written, and before any file gets its name. It fails if another writer was
     * faster; without it, the manifest must not exist yet.
     */
    async end({ statements, needed }: Contents, more: object, claim?: () => Promise<void>): Promise<void> {
      const names = partNames(name, parts.length)
      const sum = (key: 'pairs' | 'bytes') => parts.reduce((total, part) => total + part[key], 0)
      const manifest = {
        packet: name,
        generation: 0,
        createdAt: new Date().toISOString(),
        pairs: sum('pairs'),
        bytes: sum('bytes'),
        sha256: packetDigest(parts),
        parts: parts.map((part, index) => ({ fileName: names[index] as string, ...part })),
        statements,
        requires: requiresOf(needed),
        report: null,
        ...more,
      }
      await write(parts.length + 1, JSON.stringify(manifest, null, 2))
      if (claim) await claim()
      else {
        await writeFile(join(directory, manifestFile), '', { flag: 'wx', mode })
        named.add(manifestFile)
      }
      // The manifest comes last. Until then, a part is known to be missing, or the manifest is empty.
      for (const [index, file] of [...names, manifestFile].entries()) {
        await rename(join(directory, unfinished(index + 1)), join(directory, file))
        named.add(file)
      }
      await remove(isUnfinished)
      // After a crash of the machine, the directory must still list these files.
      const handle = await open(directory, 'r')
      await handle.sync().finally(() => handle.close())
    },

    /** Removes what was written, the manifest first. */
    async discard(): Promise<void> {
      await remove((file) => file === manifestFile && named.has(file))
      await remove((file) => named.has(file) || file.startsWith(`.${run}-`))
    },
  }
}
