import { createHmac, hash } from 'node:crypto'
import { writeDigest } from '../../packet/write-digest.ts'

const blockBytes = 64
const digestBytes = 32
const [innerPad, outerPad] = [0x36, 0x5c]

// Nothing here waits, so one pair of buffers serves all hashes.
const scratch = Buffer.alloc(4_096)
const outerMessage = Buffer.alloc(blockBytes + digestBytes)

/** What a hashed value is: texts and other values never share a hash. */
const textTag = 0x73
const otherTag = 0x76

/**
 * HMAC-SHA-256 under one key, of many short values: the one-shot `hash` of Node takes half a microsecond, `createHmac`
 * several. RFC 2104.
 */
export class KeyedHash {
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    const padded = Buffer.alloc(blockBytes)
    padded.set(key)
    this.#inner = padded.map((byte) => byte ^ innerPad) as Buffer
    this.#outer = padded.map((byte) => byte ^ outerPad) as Buffer
  }

  /** The hash of a text in UTF-8: 64 lower-case hexadecimal digits. */
  ofText(utf8: Uint8Array): string {
    return this.#of(textTag, utf8)
  }

  /** The hash of any other value, given a text that all equal values share. */
  ofOther(text: string): string {
    return this.#of(otherTag, Buffer.from(text))
  }

  #of(tag: number, bytes: Uint8Array): string {
    const size = blockBytes + 1 + bytes.length
    const message = size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size)
    message.set(this.#inner)
    message[blockBytes] = tag
    message.set(bytes, blockBytes + 1)
    outerMessage.set(this.#outer)
    writeDigest(hash('sha256', message, 'binary'), outerMessage, blockBytes)
    return hash('sha256', outerMessage, 'hex')
  }
}

/** A key for one purpose, from another key: HMAC-SHA-256 of the texts that name the purpose. */
export const subkey = (key: Uint8Array, ...purpose: readonly string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(purpose)).digest()
