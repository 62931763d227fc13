import type { Relationship } from 'neo4j-driver'
import { quote } from '../../../packet/cypher/identifiers.ts'
import type { Identity } from '../../../packet/identity.ts'
import type { Ends } from '../../../packet/pair-maker.ts'
import { renderValue, typeName } from '../../../packet/values/render-value.ts'
import { completeOffsets, offsetsQuery } from '../../../packet/values/zone-offsets.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { allRows } from '../preflight/queries.ts'
import type { Connection } from '../run/connection.ts'
import { equalsNothing, identityText, irreversible, type Properties } from './elements.ts'
import type { Facts } from './facts.ts'

/** A node of the target: its internal id, and what may identify it. All values are null if there is no node. */
export interface Seen {
  node: bigint | null
  labels: readonly string[] | null
  /** The values of the reader's keys. */
  ids: unknown[]
}

export interface SeenEnds {
  start: Seen
  type: string
  end: Seen
}

/** The expression by which a query returns a node as `Seen`. */
export const seen = (variable: string): string =>
  `{node: id(${variable}), labels: labels(${variable}), ids: [key IN $keys | ${variable}[key]]}`

// For each row, any number of relationships may come back.
const rowsAtOnce = 500

/** Reads elements of the target before a replay. */
export function createTargetReader(connection: Connection, { rules, mapped, named }: Facts, signal: AbortSignal) {
  const all = [...rules, ...mapped]
  const keys = [...new Set(all.map(({ property }) => property))]
  const used = new Set(rules)

  return {
    /**
     * Runs the query for a few hundred of `rows` at a time, and requests the next result while one is in use. `at` is
     * the position in all of `rows`.
     */
    async *read<Row extends object>(query: string, rows: readonly object[]): AsyncGenerator<Row & { at: number }> {
      const ask = (first: number) => {
        const asked = allRows(connection, query, { rows: rows.slice(first, first + rowsAtOnce), keys }, signal)
        // It may fail while nobody waits for it yet.
        asked.catch(() => {})
        return asked
      }
      if (rows.length === 0) return
      let next = ask(0)
      for (let first = 0; first < rows.length; first += rowsAtOnce) {
        const found = await next
        if (first + rowsAtOnce < rows.length) next = ask(first + rowsAtOnce)
        for (const row of found) yield { ...(row as Row), at: first + Number(row.at ?? 0) }
      }
    },

    /** Adds the offsets of datetimes to the values of an element, because Bolt 3 omits them. */
    complete: (owner: 'node' | 'relationship', id: bigint, properties: Properties) =>
      completeOffsets(properties, async (key) => {
        const [row] = await allRows(connection, offsetsQuery(owner, key), { id }, signal)
        return (row?.offsets ?? []) as bigint[]
      }),

    /** Whether there is no other relationship of its type between its ends. */
    async isAlone({ type, start, end }: Relationship): Promise<boolean> {
      const query = `MATCH (a)-[r:${quote(type)}]->(b) WHERE id(a) = $start AND id(b) = $end RETURN count(r) AS count`
      const [row] = await allRows(connection, query, { start, end }, signal)
      return row?.count === 1n
    },

    /** The identity by which an undo finds a node: the one that the packet names, or else any that it could name. */
    async identify(node: Seen): Promise<Identity> {
      const labels = node.labels ?? []
      await this.complete('node', node.node as bigint, { keys, values: node.ids })
      const element = `the node ${node.node} (${labels.map((label) => `:${label}`).join('')})`
      const candidates = all.flatMap((rule): { rule: Uniqueness; identity: Identity }[] => {
        const { label, property } = rule
        const value = node.ids[keys.indexOf(property)] ?? null
        if (!labels.includes(label) || value === null || equalsNothing(value)) return []
        const id = renderValue(value)
        if (id === null) throw irreversible(element, `has a ${typeName(value)} as its "${property}"`)
        return [{ rule, identity: { label, idProperty: property, id } }]
      })
      const own = candidates.filter(({ identity }) => named.has(identityText(identity)))
      if (own.length > 1) throw irreversible(element, 'bears several identities that the packet names')
      const found = own[0] ?? candidates[0]
      if (found === undefined) {
        throw irreversible(element, 'has no identity that the packet could name, or no uniqueness constraint on it')
      }
      used.add(found.rule)
      return found.identity
    },

    /** The rules by which the undo names nodes. */
    used: (): Uniqueness[] => [...used],

    async identifyEnds({ start, type, end }: SeenEnds): Promise<Ends> {
      return { start: await this.identify(start), type, end: await this.identify(end) }
    },
  }
}

export type TargetReader = ReturnType<typeof createTargetReader>
