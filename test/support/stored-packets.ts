import { randomUUID } from 'node:crypto'
import type { Manifest } from '../../shared/storage/generations.ts'
import { isHidden, partKey } from '../../shared/storage/keys.ts'
import type { Storage } from '../../shared/storage/storage.ts'

interface PacketOptions {
  jobId?: string
  run?: string
  createdAt?: string
}

/** The parts of one run in the store, one for each of `contents`, and the manifest that would commit them. */
export async function stagePacket(
  { store }: Pick<Storage, 'store'>,
  name: string,
  contents: readonly string[],
  { jobId = randomUUID(), run = randomUUID(), createdAt = new Date().toISOString() }: PacketOptions = {},
): Promise<Manifest> {
  const parts = await Promise.all(
    contents.map(async (content, index) => {
      const key = partKey(name, jobId, run, 0, index + 1)
      const etag = await store.put(key, Buffer.from(content))
      return { key, bytes: Buffer.byteLength(content), pairs: 1, etag }
    }),
  )
  return { jobId, attempt: 1, run, createdAt, parts }
}

/** A packet in the store as a job leaves it right before its plain files. @returns its generation. */
export async function commitPacket(
  storage: Pick<Storage, 'store' | 'generations'>,
  name: string,
  contents: readonly string[],
  options: PacketOptions = {},
): Promise<number> {
  const manifest = await stagePacket(storage, name, contents, options)
  return storage.generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
}

/** What somebody who reads the bucket finds of an org: its files and what is in them. */
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
