/** A packet as a replay reads it. Some fields of bare part files are not known, and null. */
export interface PacketSource {
  /** For messages: `acme/people.json`, `./people.json`. */
  name: string
  /** The digest of the packet, which identifies it in the state file. */
  sha256: string | null
  generation: number | null
  requires: { server: string; constraints: { label: string; property: string }[] } | null
  parts: readonly PartSource[]
}

export interface PartSource {
  name: string
  pairs: number | null
  sha256: string | null
  /** The stored JSON, uncompressed. @throws SourceBroken if it cannot be read */
  read(signal: AbortSignal): Promise<Buffer>
}
