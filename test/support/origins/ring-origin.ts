import type { Origin } from '../../../shared/origin/connect.ts'
import type { Rows } from '../../../shared/origin/rows.ts'
import { rowsOf } from './packstream.ts'

const record = Buffer.alloc(200)
let size = 0

/** Packs one row, as the driver's packer would take most of the time. */
const pack = {
  byte(value: number) {
    record[size++] = value
  },
  id(value: number) {
    pack.byte(0xca)
    size = record.writeInt32BE(value, size)
  },
  text(value: string) {
    pack.byte(0x80 + value.length)
    size += record.write(value, size, 'latin1')
  },
  labels() {
    pack.byte(0x91)
    pack.text('Person')
  },
  /** What identifies a node: no property `index`, and the id property of its label. */
  identifying(id: string) {
    pack.byte(0x92)
    pack.byte(0xc0)
    pack.text(id)
  },
  properties(...entries: [key: string, value: string][]) {
    pack.byte(0xa0 + entries.length)
    for (const [key, value] of entries) {
      pack.text(key)
      pack.text(value)
    }
  },
}

function addRow(rows: Rows, columns: number, fill: () => void) {
  size = 0
  for (const byte of [0xb1, 0x71, 0x90 + columns]) pack.byte(byte)
  fill()
  rows.add(record.subarray(0, size))
}

/**
 * An in-process origin: `count` nodes labelled Person with ids 'p0' and up, and for each of `steps` a KNOWS
 * relationship with its own id (`grn`) from every node to the one that many places ahead, wrapping around. It answers
 * only the queries of a publish by type on internal ids.
 */
export function ringOrigin(count: number, steps: readonly number[]): Origin {
  const idOf = (node: number) => `p${node}`

  function addRelationshipsAt(rows: Rows, near: number, most: number) {
    for (const [index, step] of steps.entries()) {
      for (const isOutgoing of [true, false]) {
        if (rows.length >= most) return
        const far = (near + (isOutgoing ? step : count - step)) % count
        const relationship = (isOutgoing ? near : far) * steps.length + index
        addRow(rows, 7, () => {
          pack.id(relationship)
          pack.id(near)
          pack.id(far)
          pack.labels()
          pack.identifying(idOf(far))
          pack.properties(['grn', `r${relationship}`], ['at', '1'])
          pack.id(isOutgoing ? near : far)
        })
      }
    }
  }

  function addNode(rows: Rows, node: number) {
    addRow(rows, 3, () => {
      pack.id(node)
      pack.labels()
      pack.identifying(idOf(node))
    })
  }

  function answer(query: string, ids: readonly number[]): Rows {
    const most = Number(/LIMIT (\d+)/.exec(query)?.[1] ?? Number.POSITIVE_INFINITY)
    const rows = rowsOf([])
    for (const node of ids) {
      if (rows.length >= most) break
      if (query.includes('(n)-[r:')) addRelationshipsAt(rows, node, most)
      else addNode(rows, node)
    }
    return rows
  }

  return {
    legacy: false,
    isDue: () => false,
    renew: async () => false,
    each: () => {
      throw new Error('this origin streams nothing')
    },
    rows: async (query, parameters) => {
      const rows = answer(query, parameters.ids as number[])
      const bytes = rows.length === 0 ? 0 : rows.end(rows.length - 1)
      return { rows, rowBytes: bytes / Math.max(1, rows.length) }
    },
    ask: async () => [['UNIQUENESS', 'NODE', ['Person'], ['id']]],
    close: async () => {},
    release: async () => {},
  }
}
