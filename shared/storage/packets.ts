import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { byCodePoint } from '../cypher/identifiers.ts'
import * as errors from '../errors/catalogue.ts'
import { inBatches } from './batches.ts'
import type { Generations, Manifest, ManifestPart } from './generations.ts'
import { generationsBelow, isHidden, orgKey, packetName, parseGenerationKey, pastGenerations } from './keys.ts'
import { longestKeyBytes, parsePartName, partNames } from './names.ts'
import type { ObjectStore } from './object-store.ts'
import { othersFiles, plainFilesOf } from './plain-files.ts'

/** A file as clients see it: a part of a packet, or an object that others put into the org's directory. */
export interface StoredFile {
  /** Relative to the org. */
  fileName: string
  key: string
  bytes: number
  /** Written by this service, so certainly a part. */
  isPart: boolean
}

/** What readers see of stored packets: none, the whole old one or the whole new one, never a mix. Contract 6 and 7. */
export interface Packets {
  orgExists(orgName: string): Promise<boolean>
  createOrg(orgName: string): Promise<void>
  /** @throws noSuchOrg (404) */
  requireOrg(orgName: string): Promise<void>
  /** Do a packet, or others' files, hold this name? And the number of its latest generation, 0 without any. */
  standingOf(orgName: string, fileName: string): Promise<{ isTaken: boolean; latest: number }>
  /** The files of a packet by its name, or one file by its own. @throws noSuchFile (404) */
  require(orgName: string, fileName: string): Promise<StoredFile[]>
  /** The files of a committed manifest, under the packet's names. */
  filesOf(fileName: string, manifest: Manifest): StoredFile[]
  open(file: StoredFile): Promise<Readable>
  /** Download URIs, in the files' order. */
  sign(files: readonly StoredFile[], lifetimeSeconds: number): Promise<string[]>
  /** Names of an org's files that start with one of `prefixes`, sorted. `['']` is all of them. */
  list(orgName: string, prefixes: readonly string[]): Promise<string[]>
}

// The service removes no org; one whose objects somebody else removed is missed after ten seconds.
const orgsKnown = { max: 10_000, ttl: 10_000 }

export function createPackets(store: ObjectStore, generations: Generations): Packets {
  const known = new LRUCache<string, true>(orgsKnown)
  // Of a name with a long history only the page with its latest generation is listed.
  const generationsFrom = (name: string) => store.list(generationsBelow(name), { skipTo: pastGenerations })
  const fileOf = (fileName: string, { key, bytes }: ManifestPart): StoredFile => ({
    fileName,
    key,
    bytes,
    isPart: true,
  })

  function filesOf(fileName: string, { parts }: Manifest): StoredFile[] {
    return partNames(fileName, parts.length).map((name, index) => fileOf(name, parts[index] as ManifestPart))
  }

  async function packet(orgName: string, fileName: string): Promise<StoredFile[] | null> {
    const current = await generations.current(packetName(orgName, fileName))
    return current && filesOf(fileName, current.manifest)
  }

  async function findOwn(orgName: string, fileName: string): Promise<StoredFile[] | null> {
    const whole = await packet(orgName, fileName)
    if (whole) return whole
    const part = parsePartName(fileName)
    const parts = part && (await packet(orgName, part.base))
    if (parts) return parts.filter((file) => file.fileName === fileName)
    return null
  }

  /** A file of others, or of a packet that was committed since the generations were looked at. */
  async function findOthers(orgName: string, fileName: string): Promise<StoredFile[] | null> {
    const base = parsePartName(fileName)?.base ?? fileName
    const name = packetName(orgName, fileName)
    const others = await othersFiles(store, generations, packetName(orgName, base))
    const found = others.find(({ key }) => key === name)
    return found ? [{ fileName, key: name, bytes: found.bytes, isPart: false }] : findOwn(orgName, fileName)
  }

  async function orgExists(orgName: string): Promise<boolean> {
    // Most were created here. Asked for first: some stores list a directory by walking through all of it.
    if (await store.hasAny(orgKey(orgName))) return true
    if (await store.hasAny(`${orgName}/`)) return true
    for await (const { key } of generationsFrom(`${orgName}/`)) {
      // The generations of a packet named like the org stand there too.
      if (parseGenerationKey(key)?.name.startsWith(`${orgName}/`)) return true
    }
    return false
  }

  /** Names of packets that start with `name`, removed ones too, each with its highest generation. */
  async function packetsBelow(name: string): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for await (const { key } of generationsFrom(name)) {
      const parsed = parseGenerationKey(key)
      if (parsed) found.set(parsed.name, Math.max(parsed.generation, found.get(parsed.name) ?? 0))
    }
    return found
  }

  async function partNamesOf(name: string, generation: number): Promise<string[]> {
    const found = await generations.read(name, generation)
    const manifest = found && !found.isVoid ? found : (await generations.highest(name))?.manifest
    if (manifest && !manifest.removed) return partNames(name, manifest.parts.length)
    return (await othersFiles(store, generations, name)).map(({ key }) => key)
  }

  /** Keys that start with `start`: the packets' and the files of others. */
  async function namesBelow(start: string): Promise<string[]> {
    if (!canStartName(start)) return []
    // Plain keys are listed first: those of a packet that is committed meanwhile are then known for what they are.
    const plain: string[] = []
    for await (const key of visibleKeys(store, start)) if (key.startsWith(start)) plain.push(key)
    const packets = await packetsBelow(start)
    const base = baseReachedInto(start)
    const reached = base && (await generations.highest(base))
    if (base && reached) packets.set(base, reached.generation)
    const own = await inBatches([...packets], ([name, generation]) => partNamesOf(name, generation))
    const isPlainFile = (key: string) => packets.has(key) || packets.has(parsePartName(key)?.base ?? '')
    const isOwn = (key: string) => isPlainFile(key) || isPlainFile(key.replace(beingWritten, ''))
    return [...own.flat().filter((name) => name.startsWith(start)), ...plain.filter((key) => !isOwn(key))]
  }

  return {
    orgExists,
    filesOf,
    async createOrg(orgName) {
      await store.put(orgKey(orgName), Buffer.from('{}'))
    },
    async requireOrg(orgName) {
      if (known.has(orgName)) return
      if (!(await orgExists(orgName))) throw errors.noSuchOrg(orgName)
      known.set(orgName, true)
    },
    async standingOf(orgName, fileName) {
      const name = packetName(orgName, fileName)
      const [{ number, highest }, files] = await Promise.all([generations.latest(name), plainFilesOf(store, name)])
      const isPacket = highest !== null && !highest.manifest.removed
      // They may be of a packet that was committed since the generations were looked at.
      const others = isPacket || files.length === 0 ? [] : await othersFiles(store, generations, name)
      return { isTaken: isPacket || others.length > 0, latest: number }
    },
    async require(orgName, fileName) {
      const files = (await findOwn(orgName, fileName)) ?? (await findOthers(orgName, fileName))
      if (files === null || files.length === 0) throw errors.noSuchFile(orgName, fileName)
      return files
    },
    async open({ key, fileName }) {
      const stream = await store.stream(key)
      if (stream === null) throw errors.storeAway(new Error(`an object of the file "${fileName}" is gone`))
      return stream
    },
    sign: (files, lifetimeSeconds) =>
      Promise.all(files.map(({ key, fileName }) => store.sign(key, lifetimeSeconds, fileName))),
    async list(orgName, prefixes) {
      const found = await inBatches([...new Set(prefixes)], (prefix) => namesBelow(packetName(orgName, prefix)))
      const names = new Set(found.flat().map((name) => name.slice(orgName.length + 1)))
      return [...names].sort(byCodePoint)
    },
  }
}

/**
 * S3Proxy on a file system lists an object while it is written, as `<key>-<uuid>`: the plain file of a packet that is
 * being copied is no file of others. Stores that keep to S3 never show such a name.
 */
const beingWritten = /-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Could a name start so? Some stores resolve `..` and `//` in a prefix, and would list what is elsewhere; others fail on
 * a null, which no key can have.
 */
function canStartName(start: string): boolean {
  const segments = start.split('/')
  const isWhole = segments.slice(0, -1).every((segment) => segment !== '')
  const isKey = start.isWellFormed() && !start.includes('\0') && Buffer.byteLength(start) <= longestKeyBytes
  return isKey && isWhole && segments.every((segment) => !segment.startsWith('.'))
}

/** The packet's name whose part suffix a prefix reaches into: `fPart1o` and `fP` do into that of `f`. */
function baseReachedInto(start: string): string | null {
  const [, base] = /^(.*[^/])P(?:a(?:r(?:t(?:[1-9]\d*(?:o(?:f(?:[1-9]\d*)?)?)?)?)?)?)?$/s.exec(start) ?? []
  return base ?? null
}

/**
 * Keys that start with `start`, without hidden ones. A directory of an org's top level is entered only when its name
 * has no dot in front: the hidden objects live there, and they are many.
 */
async function* visibleKeys(store: ObjectStore, start: string): AsyncGenerator<string> {
  const isTop = start.indexOf('/') === start.length - 1
  for await (const found of isTop ? store.listLevel(start) : store.list(start)) {
    if ('key' in found) {
      if (!isHidden(found.key)) yield found.key
    } else if (!isHidden(found.prefix)) {
      for await (const { key } of store.list(found.prefix)) if (!isHidden(key)) yield key
    }
  }
}
