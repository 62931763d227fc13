import { hash, randomUUID } from 'node:crypto'
import { isHidden, partKey } from '../../../shared/storage/keys.ts'
import type { Manifest } from '../../../shared/storage/manifest.ts'
import type { Storage } from '../../../shared/storage/storage.ts'

interface PacketOptions {
  jobId?: string
  run?: string
  createdAt?: string
  expiresAt?: string
}

/** Stores the parts of one run, one for each of `contents`, and returns the uncommitted manifest. */
export async function stagePacket(
  { store }: Pick<Storage, 'store'>,
  name: string,
  contents: readonly string[],
  { jobId = randomUUID(), run = randomUUID(), createdAt = new Date().toISOString(), ...expiry }: PacketOptions = {},
): Promise<Manifest> {
  const parts = await Promise.all(
    contents.map(async (content, index) => {
      const key = partKey(name, jobId, run, 0, index + 1)
      const etag = await store.put(key, Buffer.from(content))
      return { key, bytes: Buffer.byteLength(content), pairs: 1, etag, sha256: hash('sha256', content), statements: {} }
    }),
  )
  return { jobId, attempt: 1, run, createdAt, ...expiry, parts }
}

/** Commits a packet without its plain files, as a job does just before writing them. @returns its generation. */
export async function commitPacket(
  storage: Pick<Storage, 'store' | 'generations'>,
  name: string,
  contents: readonly string[],
  options: PacketOptions = {},
): Promise<number> {
  const manifest = await stagePacket(storage, name, contents, options)
  return storage.generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
}

/** An org as a reader of the bucket sees it: its visible files and their contents. */
export async function viewOf({ store }: Pick<Storage, 'store'>, org: string): Promise<Record<string, string>> {
  const view: Record<string, string> = {}
  for await (const { key } of store.list(`${org}/`)) {
    if (!isHidden(key)) view[key.slice(org.length + 1)] = String(await store.get(key))
  }
  return view
}

export async function keysBelow({ store }: Pick<Storage, 'store'>, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}
