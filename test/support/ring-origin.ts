import type { Origin } from '../../shared/origin/connect.ts'

/**
 * An in-process origin: `count` nodes labelled Person with ids 'p0' and up, and for each of `steps` a KNOWS
 * relationship with its own id (`grn`) from every node to the one that many places ahead, wrapping around. It answers
 * only the queries of a publish by type on internal ids.
 */
export function ringOrigin(count: number, steps: readonly number[]): Origin {
  const idOf = (node: number) => `p${node}`

  function* relationshipsAt(near: number, asLists: boolean, hasId: boolean) {
    for (const [index, step] of steps.entries()) {
      for (const isOutgoing of [true, false]) {
        const far = (near + (isOutgoing ? step : count - step)) % count
        const relationship = (isOutgoing ? near : far) * steps.length + index
        const grn = `r${relationship}`
        const properties = asLists ? [['grn'], [grn]] : hasId ? [grn, 1] : [1]
        yield [...properties, relationship, near, isOutgoing, far, ['Person'], null, idOf(far)]
      }
    }
  }

  function rowsOf(query: string, { ids }: { ids: number[] }): unknown[][] {
    if (!query.includes('(n)-[r:')) return ids.map((node) => [null, idOf(node), node, ['Person']])
    const most = Number(/LIMIT (\d+)$/.exec(query)?.[1] ?? Number.POSITIVE_INFINITY)
    const asLists = query.includes('[keys(r), ')
    const rows: unknown[][] = []
    for (const node of ids) {
      if (rows.length >= most) break
      rows.push(...relationshipsAt(node, asLists, query.includes('p.`grn`')))
    }
    return rows.slice(0, most)
  }

  const streamsNothing = () => {
    throw new Error('this origin streams nothing')
  }
  return {
    legacy: false,
    isDue: () => false,
    renew: async () => false,
    read: streamsNothing,
    each: streamsNothing,
    rows: async (query, parameters) => rowsOf(query, parameters as { ids: number[] }),
    rowsWithin: async (_, query, parameters) => ({
      rows: rowsOf(query, parameters as { ids: number[] }),
      rowBytes: 200,
      largestBytes: 200,
    }),
    ask: async () => [['UNIQUENESS', 'NODE', ['Person'], ['id']]],
    close: async () => {},
    release: async () => {},
  }
}
