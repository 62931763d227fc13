import { hash } from 'node:crypto'

/** The digest of a packet: the SHA-256 of its parts' digests in hexadecimal, joined by line feeds. Contract 7.12. */
export const packetDigest = (parts: readonly { sha256: string }[]): string =>
  hash('sha256', parts.map(({ sha256 }) => sha256).join('\n'))
