import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOf } from '../replay/order/node-hashes.ts'

/** What a record says of a node, a relationship, or a group of relationships. */
export const kinds = { node: 1, end: 2, relationship: 3, removal: 4, cleanup: 5, side: 6 } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** Of one element: a row of a table as `key` and `rest`; `own` comes before them. Texts that the kind defines. */
export interface Written {
  kind: Kind
  /** The index of the row's table, and how many columns of it the row has. */
  table: number
  columns: number
  own: string
  key: string
  rest: string
}

/** A record in the bytes of its group. All positions are offsets there; `own`, `key` and `rest` follow each other. */
export interface Found {
  kind: number
  table: number
  columns: number
  own: number
  key: number
  rest: number
  end: number
}

const headBytes = 24
const blockBytes = 64 * 1024

/**
 * Divides records by their keys into groups, one file each: all records of one key are in one group. Memory holds 64 kB
 * of each group, and what is larger in one record.
 */
export function createSpill(directory: string, groups: number) {
  const fileOf = (group: number) => join(directory, `.group-${group}`)
  const blocks = Array.from({ length: groups }, () => ({ bytes: Buffer.alloc(0), length: 0 }))

  function flush(group: number): void {
    const block = blocks[group] as { bytes: Buffer; length: number }
    if (block.length > 0) appendFileSync(fileOf(group), block.bytes.subarray(0, block.length), { mode: 0o600 })
    block.length = 0
  }

  return {
    /** `groupedBy`: records with the same text come into one group. */
    add(groupedBy: string, { kind, table, columns, own, key, rest }: Written): void {
      const group = hashOf(groupedBy) % groups
      const block = blocks[group] as { bytes: Buffer; length: number }
      const most = headBytes + 3 * (own.length + key.length + rest.length)
      if (block.length + most > block.bytes.length) {
        flush(group)
        // One large record must not keep its memory.
        if (most > block.bytes.length || block.bytes.length > blockBytes)
          block.bytes = Buffer.allocUnsafe(Math.max(most, blockBytes))
      }
      const { bytes, length: start } = block
      let at = start + headBytes
      at += bytes.write(own, at)
      const keyAt = at
      at += bytes.write(key, at)
      const restAt = at
      at += bytes.write(rest, at)
      bytes.writeUInt32LE(at - start, start)
      bytes.writeUInt32LE(kind, start + 4)
      bytes.writeUInt32LE(table, start + 8)
      bytes.writeUInt32LE(columns, start + 12)
      bytes.writeUInt32LE(keyAt - start, start + 16)
      bytes.writeUInt32LE(restAt - start, start + 20)
      block.length = at
    },

    /** Hands out the bytes of one group after the other, and removes its file. Nothing can be added any more. */
    async *groups(): AsyncGenerator<Buffer> {
      for (let group = 0; group < groups; group++) flush(group)
      blocks.length = 0
      for (let group = 0; group < groups; group++) {
        const file = fileOf(group)
        if (!existsSync(file)) continue
        yield await readFile(file)
        rmSync(file)
      }
    },
  }
}

export type Spill = ReturnType<typeof createSpill>

/** The records in the bytes of a group. */
export function* recordsIn(bytes: Buffer): Generator<Found> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + bytes.readUInt32LE(start)
    yield {
      kind: bytes.readUInt32LE(start + 4),
      table: bytes.readUInt32LE(start + 8),
      columns: bytes.readUInt32LE(start + 12),
      own: start + headBytes,
      key: start + bytes.readUInt32LE(start + 16),
      rest: start + bytes.readUInt32LE(start + 20),
      end,
    }
    start = end
  }
}
