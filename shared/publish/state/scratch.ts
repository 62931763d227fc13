import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as errors from '../../errors/catalogue.ts'
import { copyBytes } from './short-bytes.ts'

/** Bytes that scratch space keeps in memory. Beyond this limit it writes to a file. */
const mostInMemory = 8 * 1024 * 1024
const blockBytes = 16 * 1024

/**
 * Opens a file for this process alone in the directory TMPDIR. It has no name any more, so a crash leaves nothing.
 * @throws noScratchSpace (503)
 */
export function openUnnamed(): number {
  return inScratch(() => {
    const directory = mkdtempSync(join(tmpdir(), 'packets-'))
    try {
      return openSync(join(directory, 'scratch'), 'wx+', 0o600)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
}

/** Writes all bytes at the end of a file whose length is `at`. @throws noScratchSpace (503) */
export function append(fd: number, bytes: Buffer, at: number): void {
  inScratch(() => {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done)
  })
}

function inScratch<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw errors.noScratchSpace(error)
  }
}

interface Bucket {
  filled: (Buffer | { at: number; bytes: number })[]
  block: Buffer
  length: number
}

/**
 * Bytes in buckets, which may exceed the memory: what is added to a bucket comes back in order. Memory holds a block of
 * each bucket.
 */
export function createScratch(buckets: number) {
  const all = Array.from({ length: buckets }, (): Bucket => ({ filled: [], block: Buffer.alloc(0), length: 0 }))
  let inMemory = 0
  let file: { fd: number; length: number } | null = null
  let isDisposed = false

  function write(bytes: Buffer): { at: number; bytes: number } {
    // A build that was given up may still be running.
    if (isDisposed) throw new Error('scratch space is used after its end')
    file ??= { fd: openUnnamed(), length: 0 }
    const at = file.length
    append(file.fd, bytes, at)
    file.length += bytes.length
    return { at, bytes: bytes.length }
  }

  function read(
    { at, bytes }: { at: number; bytes: number },
    into: Buffer = Buffer.allocUnsafe(bytes),
    place = 0,
  ): Buffer {
    for (let done = 0; done < bytes; ) {
      const count = readSync((file as { fd: number }).fd, into, place + done, bytes - done, at + done)
      if (count === 0) throw new Error('a scratch file is shorter than what was written')
      done += count
    }
    return into
  }

  function flush(bucket: Bucket): void {
    const filled = bucket.block.subarray(0, bucket.length)
    if (inMemory + bucket.block.length <= mostInMemory) {
      inMemory += bucket.block.length
      bucket.filled.push(filled)
      bucket.block = Buffer.alloc(0)
    } else if (filled.length > 0) bucket.filled.push(write(filled))
    bucket.length = 0
  }

  return {
    /** Adds the bytes `from` to `to` to a bucket. */
    add(bucket: number, bytes: Buffer, from: number, to: number): void {
      const it = all[bucket] as Bucket
      const more = to - from
      if (it.length + more > it.block.length) {
        flush(it)
        if (more > it.block.length || it.block.length > blockBytes)
          it.block = Buffer.allocUnsafeSlow(Math.max(more, blockBytes))
      }
      it.length += copyBytes(bytes, from, to, it.block, it.length)
    },
    /** What was added to a bucket, in pieces that may divide it anywhere. Nothing may be added meanwhile. */
    *read(bucket: number): Generator<Buffer> {
      const it = all[bucket] as Bucket
      for (const one of it.filled) yield Buffer.isBuffer(one) ? one : read(one)
      yield it.block.subarray(0, it.length)
    },
    /** Takes everything out of a bucket, into a buffer that `roomFor` gives. */
    take(bucket: number, roomFor: (bytes: number) => Buffer): Buffer {
      const { filled, block, length } = all[bucket] as Bucket
      const bytes = filled.reduce((sum, one) => sum + (Buffer.isBuffer(one) ? one.length : one.bytes), length)
      const into = roomFor(bytes)
      let place = 0
      for (const one of filled) {
        if (Buffer.isBuffer(one)) place += one.copy(into, place)
        else {
          read(one, into, place)
          place += one.bytes
        }
      }
      block.copy(into, place, 0, length)
      all[bucket] = { filled: [], block: Buffer.alloc(0), length: 0 }
      return into
    },
    [Symbol.dispose](): void {
      if (file) closeSync(file.fd)
      file = null
      isDisposed = true
    },
  }
}

export type Scratch = ReturnType<typeof createScratch>
