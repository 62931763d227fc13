import { enlarged } from '../../../read/internal-ids.ts'

/**
 * Entries for neighbouring nodes, in insertion order. An entry is two words. The first packs the node's offset in the
 * bucket (7 bits) and the index of the type (25: no request has room for more types). The second is the value.
 */
interface Bucket {
  words: Uint32Array
  count: number
  /** The texts, one per line. */
  lines: Buffer
  lineBytes: number
}

const bucketSize = 128
const typeBits = 25

/** Receives an entry of the keep-list of a node. Either all entries have a text, without line breaks, or none has. */
type Deliver = (position: number, type: string, value: number, text: string | null) => void

/**
 * Buffers the keep-list entries of targeted nodes that are not read yet, until these are read: eight bytes each, plus
 * the text. A request over very many nodes holds entries for half of its relationships here at some time.
 * @param length the number of targeted nodes.
 * @param deliver receives the entries when their nodes are read.
 */
export function createLaterEntries(length: number, types: readonly string[], deliver: Deliver) {
  const indexOfType = new Map(types.map((type, index) => [type, index]))
  const buckets = new Array<Bucket | undefined>(Math.ceil(length / bucketSize))
  let opened = 0

  function deliverAll({ words, count, lines, lineBytes }: Bucket, start: number) {
    const texts = lineBytes === 0 ? null : lines.toString('utf8', 0, lineBytes).split('\n').values()
    for (let at = 0; at < count; at += 2) {
      const [packed, value] = [words[at] as number, words[at + 1] as number]
      const type = types[packed & ((1 << typeBits) - 1)] as string
      deliver(start + (packed >>> typeBits), type, value, texts === null ? null : (texts.next().value as string))
    }
  }

  return {
    /** Whether entries of the node at this position must be buffered here. */
    isLater: (position: number): boolean => position >= opened,
    add(position: number, type: string, value: number, text: string | null): void {
      const index = Math.floor(position / bucketSize)
      const bucket = buckets[index] ?? { words: new Uint32Array(32), count: 0, lines: Buffer.alloc(0), lineBytes: 0 }
      buckets[index] = bucket
      const { words, count } = bucket
      if (count === words.length) bucket.words = enlarged(words, new Uint32Array(2 * count))
      bucket.words[count] = ((position % bucketSize) << typeBits) | (indexOfType.get(type) as number)
      bucket.words[count + 1] = value
      bucket.count += 2
      if (text === null) return
      const atMost = bucket.lineBytes + 3 * text.length + 1
      if (atMost > bucket.lines.length) bucket.lines = enlarged(bucket.lines, Buffer.alloc(2 * atMost))
      bucket.lineBytes += bucket.lines.write(`${text}\n`, bucket.lineBytes)
    },
    /** Delivers the entries of all nodes before this position, and of some that follow. */
    openUpTo(end: number): void {
      for (; opened < end; opened += bucketSize) {
        const bucket = buckets[opened / bucketSize]
        if (bucket) deliverAll(bucket, opened)
        buckets[opened / bucketSize] = undefined
      }
    },
  }
}
