import { closeSync, readSync } from 'node:fs'
import { append, openUnnamed } from './scratch.ts'
import { digestBytes } from './sorter.ts'

// One read of a file finds a digest among so many.
const perBlock = 256
const blockBytes = perBlock * digestBytes
/** Bytes of digests that are kept in memory. Beyond this limit they are kept in a file. */
const mostInMemory = 4 * 1024 * 1024

/**
 * The digests of a base, to look up the digests of the pairs that are built. Memory holds one of 256; a file has them all.
 * @param chunks sorted digests, whole ones in each chunk
 */
export async function keepDigests(chunks: AsyncIterable<Buffer>) {
  const firsts: number[] = []
  const kept: Buffer[] = []
  let length = 0
  let fd: number | null = null
  let written = 0
  function write(bytes: Buffer): void {
    append(fd as number, bytes, written)
    written += bytes.length
  }
  using failing = new DisposableStack()
  failing.defer(() => {
    if (fd !== null) closeSync(fd)
  })
  for await (const chunk of chunks) {
    // A block begins wherever the chunks end.
    for (let at = (blockBytes - (length % blockBytes)) % blockBytes; at < chunk.length; at += blockBytes)
      firsts.push(numberOf(chunk, at))
    length += chunk.length
    if (fd === null && length > mostInMemory) {
      fd = openUnnamed()
      for (const bytes of kept.splice(0)) write(bytes)
    }
    if (fd === null) kept.push(chunk)
    else write(chunk)
  }
  failing.move()
  const fences = Float64Array.from(firsts)
  const memory = Buffer.concat(kept)
  const block = Buffer.allocUnsafe(blockBytes)

  function readBlock(index: number): Buffer {
    const at = index * blockBytes
    const bytes = Math.min(blockBytes, length - at)
    if (fd === null) return memory.subarray(at, at + bytes)
    for (let done = 0; done < bytes; ) {
      const count = readSync(fd, block, done, bytes - done, at + done)
      if (count === 0) throw new Error('the file of the digests of a base is too short')
      done += count
    }
    return block.subarray(0, bytes)
  }

  return {
    has(digest: Buffer): boolean {
      const number = numberOf(digest, 0)
      // The last block that begins before the number, and those after it that begin with the same one.
      for (let index = Math.max(0, countBelow(fences, number) - 1); index < fences.length; index++) {
        if (isIn(readBlock(index), digest)) return true
        if ((fences[index + 1] ?? Number.POSITIVE_INFINITY) > number) return false
      }
      return false
    },
    close(): void {
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}

export type KnownDigests = Awaited<ReturnType<typeof keepDigests>>

const numberOf = (bytes: Buffer, at: number): number => bytes.readUIntBE(at, 6)

/** How many of these ascending numbers are smaller than `number`. */
function countBelow(numbers: Float64Array, number: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((numbers[middle] as number) < number) from = middle + 1
    else to = middle
  }
  return from
}

function isIn(block: Buffer, digest: Buffer): boolean {
  let [from, to] = [0, block.length / digestBytes]
  while (from < to) {
    const middle = (from + to) >>> 1
    const order = block.compare(digest, 0, digestBytes, middle * digestBytes, (middle + 1) * digestBytes)
    if (order === 0) return true
    if (order < 0) from = middle + 1
    else to = middle
  }
  return false
}
