import { LRUCache } from 'lru-cache'
import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import { parsePartName, partNames } from '../../packet/names.ts'
import * as errors from '../errors/catalogue.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { contentOf } from './compression.ts'
import type { Generations } from './generations.ts'
import { generationsBelow, orgKey, packetName, parseGenerationKey, pastGenerations } from './keys.ts'
import { untilExpiry } from './links.ts'
import { type ListedName, listNames } from './listing/list-names.ts'
import { existing, type OrgPage, topLevelOrgs } from './listing/list-orgs.ts'
import { filterOf } from './listing/name-filter.ts'
import { type Position, parsePosition, positionText } from './listing/position.ts'
import { isVisible, type Manifest, type ManifestPart } from './manifest.ts'
import { othersFiles, plainFilesOf } from './objects-of-a-name.ts'

/** A file as clients see it: a part of a packet, or an object that others put into the org's directory. */
export interface StoredFile {
  /** Relative to the org. */
  fileName: string
  key: string
  /** Bytes of its content, whether or not it is stored compressed. */
  bytes: number
  /** How this service compressed it; absent: uncompressed. */
  compression?: 'gzip'
  /** Whether this service wrote it as a part. */
  isPart: boolean
  /** When its packet expires; absent: never. */
  expiresAt?: string
}

/** Look-ups of some 500 objects each that find no file of others. Beyond this limit a page may end early. */
const mostLooks = 5

type StoredPart = Pick<ManifestPart, 'key' | 'bytes' | 'compression'>

/** What the files of a packet need of its manifest. */
type FilesOfPacket = Pick<Manifest, 'expiresAt'> & { parts: readonly StoredPart[] }

export interface PageOfNames {
  names: string[]
  /** When each of the names expires, in the same order; null: never. */
  expiresAt: (string | null)[]
  /** The `after` of the next page; null on the last one. Clients rely on nothing in it. */
  next: string | null
}

export interface Page {
  limit: number
  /** The `next` of the page before. */
  after?: string | undefined
  /** Only names that contain any of these texts; all names if there are none. */
  holding?: readonly string[]
  /** Whether the page may end early, with or without names, if objects of packets make it costly. */
  mayEndEarly?: boolean
  /** Limit of the total length of a page's names, bytes. */
  mostBytes?: number
  /** Called with the bytes of each name; its error ends the listing. */
  reserve?: (bytes: number) => void
  /** Called every 20 ms of work; its error ends the listing. */
  interrupted?: () => void
}

// The service never removes an org. If somebody removes an org's objects, the cache forgets it after ten seconds.
export const newOrgCache = () => new LRUCache<string, true>({ max: 10_000, ttl: 10_000 })
export type OrgCache = ReturnType<typeof newOrgCache>

export type Packets = ReturnType<typeof createPackets>

/**
 * What readers see: no packet, the whole old one or the whole new one, never a mix. Contract 6 and 7. @param known orgs
 * that exist.
 */
export function createPackets(store: ObjectStore, generations: Generations, known: OrgCache) {
  // For a name with a long history, this lists only the page with its latest generation.
  const generationsFrom = (name: string) => store.list(generationsBelow(name), { skipTo: pastGenerations })

  /** The files of a committed manifest, under the packet's names. */
  function filesOf(fileName: string, { parts, expiresAt }: FilesOfPacket): StoredFile[] {
    return partNames(fileName, parts.length).map((name, index) => {
      const { key, bytes, compression } = parts[index] as StoredPart
      return {
        fileName: name,
        key,
        bytes,
        isPart: true,
        ...(compression === undefined ? {} : { compression }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }
    })
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

  /** A file that others stored, or a file of a packet committed since the generations were read. */
  async function findOthers(orgName: string, fileName: string): Promise<StoredFile[] | null> {
    const base = parsePartName(fileName)?.base ?? fileName
    const name = packetName(orgName, fileName)
    const others = await othersFiles(store, generations, packetName(orgName, base), [name])
    const found = others.find(({ key }) => key === name)
    return found ? [{ fileName, key: name, bytes: found.bytes, isPart: false }] : findOwn(orgName, fileName)
  }

  async function orgExists(orgName: string): Promise<boolean> {
    // Check this first, because most orgs were created here: some stores list a directory by reading all of it.
    if (await store.hasAny(orgKey(orgName))) return true
    if (await store.hasAny(`${orgName}/`)) return true
    for await (const { key } of generationsFrom(`${orgName}/`)) {
      // The generations of a packet with the org's name have this prefix too.
      if (parseGenerationKey(key)?.name.startsWith(`${orgName}/`)) return true
    }
    return false
  }

  /**
   * One page of the names of an org's files that start with one of `prefixes`, sorted. `['']` lists all.
   * @throws invalidRequest (400) for an `after` that is no `next`
   */
  async function page(
    orgName: string,
    prefixes: readonly string[],
    {
      limit,
      after,
      holding = [],
      mayEndEarly = false,
      mostBytes = Number.POSITIVE_INFINITY,
      reserve,
      interrupted,
    }: Page,
  ): Promise<PageOfNames> {
    const found: (ListedName & { name: string })[] = []
    const position = after === undefined ? null : parsePosition(after)
    const wanted = {
      starts: prefixes.map((prefix) => packetName(orgName, prefix)),
      after: position && { ...position, name: packetName(orgName, position.name) },
      filter: filterOf(orgName, holding),
      most: limit + 1,
      interrupted,
    }
    const textOf = (position: Position) => positionText({ ...position, name: position.name.slice(orgName.length + 1) })
    let looks = 0
    let next: string | null = null
    let bytes = 0
    for await (const { name, expiresAt, position } of listNames({ store, generations }, wanted)) {
      if (name === null) {
        if (!mayEndEarly || ++looks < mostLooks) continue
        next = textOf(position)
        break
      }
      looks = 0
      const own = name.slice(orgName.length + 1)
      const ownBytes = Buffer.byteLength(own)
      bytes += ownBytes
      // There is at least one more name.
      if (found.length === limit || (bytes > mostBytes && found.length > 0)) {
        next = textOf((found.at(-1) as ListedName).position)
        break
      }
      reserve?.(ownBytes)
      found.push({ name: own, expiresAt, position })
    }
    found.sort((a, b) => byCodePoint(a.name, b.name))
    return { names: found.map(({ name }) => name), expiresAt: found.map(({ expiresAt }) => expiresAt ?? null), next }
  }

  return {
    orgExists,
    /** The orgs among these that exist, by code point; null: all top-level orgs, in the key order of the store. */
    orgs: (among: readonly string[] | null, page: OrgPage) =>
      among === null ? topLevelOrgs(store, page) : existing(among, page, orgExists),
    filesOf,
    async createOrg(orgName: string) {
      await store.put(orgKey(orgName), Buffer.from('{}'))
    },
    /** @throws noSuchOrg (404) */
    async requireOrg(orgName: string) {
      if (known.has(orgName)) return
      if (!(await orgExists(orgName))) throw errors.noSuchOrg(orgName)
      known.set(orgName, true)
    },
    /**
     * Whether a packet, or files that others stored, have this name; the number of its latest generation, or 0; and when
     * this function began to look, by the store's clock.
     */
    async standingOf(orgName: string, fileName: string) {
      const name = packetName(orgName, fileName)
      const at = store.now()
      const [{ number, highest }, files] = await Promise.all([
        generations.latest(name),
        plainFilesOf(store, generations, name),
      ])
      const isPacket = highest !== null && isVisible(highest.manifest, store.now())
      // The files may belong to a packet committed since the generations were read.
      const others = highest !== null || files.length === 0 ? [] : await othersFiles(store, generations, name)
      return { isTaken: isPacket || others.length > 0, latest: number, at }
    },
    /** The files of the packet with this name, or the one file with this name. @throws noSuchFile (404) */
    async require(orgName: string, fileName: string): Promise<StoredFile[]> {
      const files = (await findOwn(orgName, fileName)) ?? (await findOthers(orgName, fileName))
      if (files === null || files.length === 0) throw errors.noSuchFile(orgName, fileName)
      return files
    },
    /**
     * The content of a file, decompressed.
     * @throws packetDamaged (500) if a part is gone or damaged, noSuchFile (404) if a file of others is gone
     */
    async open({ key, fileName, bytes, compression, isPart }: StoredFile): Promise<AsyncIterable<Buffer>> {
      const stream = await store.stream(key)
      if (stream === null && !isPart) throw errors.noSuchFile(key.slice(0, -fileName.length - 1), fileName)
      if (stream === null) throw errors.packetDamaged(new Error(`the object of the part "${fileName}" is gone`))
      // The answer's Content-Length is fixed: clients would read extra bytes as the next answer, and wait for missing
      // bytes.
      return contentOf(stream, bytes, compression)
    },
    /** Download URIs, in the files' order. None is valid after its file expires. */
    sign: (files: readonly Pick<StoredFile, 'key' | 'fileName' | 'expiresAt'>[], lifetimeSeconds: number) =>
      Promise.all(
        files.map(({ key, fileName, expiresAt }) =>
          store.sign(key, untilExpiry(expiresAt, lifetimeSeconds, store.now()), fileName),
        ),
      ),
    /** All the names of which `page` has one page. */
    list: async (orgName: string, prefixes: readonly string[]) =>
      (await page(orgName, prefixes, { limit: Number.POSITIVE_INFINITY })).names,
    page,
  }
}
