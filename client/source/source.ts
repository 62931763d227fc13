import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { SourceBroken } from '../../packet/broken.ts'
import { identitiesIn } from '../replay/source/identities-in.ts'
import type { Chain, PacketSource, PartSource } from '../replay/source/load-part.ts'
import type { Manifest, ManifestPart } from './manifest.ts'

/** A packet that a command works on, wherever it comes from. */
export interface Source extends PacketSource {
  /** Null for bare part files. */
  manifest: Manifest | null
  /** The absolute path or address of the packet. It identifies the packet, not its content. */
  place: string
}

/** What is known of a part before it is read; null if not known. */
type Expected = { [Name in 'sha256' | 'bytes' | 'pairs']: ManifestPart[Name] | null }

const unknown: Expected = { sha256: null, bytes: null, pairs: null }
/** Limit of a part that the client accepts, bytes. The service writes at most 60 MiB. */
export const longestPart = 64 * 1024 * 1024
const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b
const gunzipped = promisify(gunzip)

/** A part whose bytes are unpacked, and compared with its length and digest where these are known. */
export function partOf(name: string, fetch: (signal: AbortSignal) => Promise<Buffer>, expected = unknown): PartSource {
  return {
    name,
    pairs: expected.pairs,
    sha256: expected.sha256,
    async read(signal) {
      const bytes = await unpacked(await fetch(signal))
      const problem = problemOf(bytes, expected)
      if (problem !== null) throw new SourceBroken(problem)
      return bytes
    },
  }
}

async function unpacked(bytes: Buffer): Promise<Buffer> {
  if (!isGzip(bytes)) return bytes
  return gunzipped(bytes, { maxOutputLength: longestPart }).catch((error) => {
    throw new SourceBroken(`it cannot be decompressed (${error.code})`)
  })
}

/** Why these are not the expected bytes; null if nothing contradicts them. */
export function problemOf(bytes: Buffer, { sha256, bytes: length }: Pick<Expected, 'sha256' | 'bytes'>): string | null {
  if (length !== null && bytes.length !== length) {
    return `it has ${bytes.length} bytes, the manifest says ${length}; download it again`
  }
  const actual = sha256 === null ? null : hash('sha256', bytes)
  return actual === sha256 ? null : `sha256 is ${actual}, the manifest says ${sha256}; download it again`
}

/** A source as its manifest describes it. */
export function sourceOf(
  { name, place }: Pick<Source, 'name' | 'place'>,
  manifest: Manifest,
  fetch: (part: ManifestPart, signal: AbortSignal) => Promise<Buffer>,
): Source {
  const { server, constraints, moreConstraints } = manifest.requires
  return {
    name,
    place,
    manifest,
    sha256: manifest.sha256,
    generation: manifest.generation,
    // A list that is cut short does not say what the packet needs.
    requires: moreConstraints ? null : { server, constraints },
    mapped: identitiesIn(manifest.mappedIndices),
    chain: chainOf(manifest),
    parts: manifest.parts.map((part) => partOf(part.fileName, (signal) => fetch(part, signal), part)),
  }
}

const chainOf = ({ packet, base, state, undoes }: Manifest): Chain => ({
  packet,
  base: typeof base === 'string' ? null : base,
  state: state?.sha256 ?? null,
  undoes,
})

/** The packet that a target must have before this one; null if it needs none. */
export const baseOf = ({ manifest }: Pick<Source, 'manifest'>): Manifest['base'] => manifest?.base ?? null

/** A source without a manifest. */
export const bareSource = (name: string, place: string, parts: PartSource[]): Source => ({
  name,
  place,
  parts,
  manifest: null,
  sha256: null,
  generation: null,
  requires: null,
})

/** Fetches only once, even if the result is read several times. */
export function once(fetch: (signal: AbortSignal) => Promise<Buffer>): (signal: AbortSignal) => Promise<Buffer> {
  let fetched: Promise<Buffer> | undefined
  return (signal) => {
    fetched ??= fetch(signal)
    return fetched
  }
}
