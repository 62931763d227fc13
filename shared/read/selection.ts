import { quote } from '../../packet/cypher/identifiers.ts'
import type { Origin } from '../origin/connect.ts'
import { formsOfAll, type NodeSelector } from '../request/select.ts'
import { eachNode, type InternalId, readInternalId } from './internal-ids.ts'

/**
 * Nodes that a request selects by label and property: the queries that list, count and check them. They name labels and
 * properties as identifiers and take values as parameters, so a request adds no Cypher of its own. Contract 4.22.
 */

/** A condition about a variable, and the parameters that it needs. */
interface Condition {
  text: string
  parameters: Record<string, unknown>
}

/** A condition about more labels takes them as a parameter: each name in a query costs time to plan. */
const mostNamed = 20

const both = (texts: readonly string[]) => texts.join(' AND ')

/** The conditions of a selector's `where`. Parameters are named by the place of the selector. */
function whereOf({ where }: NodeSelector, at: number): Condition {
  return {
    text: both(where.map(({ property }, index) => `n.${quote(property)} IN $where_${at}_${index}`)),
    parameters: Object.fromEntries(where.map(({ asked }, index) => [`where_${at}_${index}`, formsOfAll(asked)])),
  }
}

/** Whether `n` has one of these labels. */
function labelCondition(labels: readonly string[], at: number): Condition {
  if (labels.length > mostNamed) {
    return { text: `any(label IN labels(n) WHERE label IN $labels_${at})`, parameters: { [`labels_${at}`]: labels } }
  }
  const named = labels.map((label) => `n:${quote(label)}`).join(' OR ')
  return { text: labels.length === 0 ? 'false' : `(${named})`, parameters: {} }
}

/**
 * The condition that a node `n` is selected. An internal id may belong to another node since the selection was listed,
 * and a node may have lost its label, so every read of listed nodes checks it again.
 */
export function selectedCondition(selectors: readonly NodeSelector[]): Condition {
  const conditions = selectors.map((selector, at) => {
    const [labels, where] = [labelCondition(selector.labels, at), whereOf(selector, at)]
    return {
      text: selector.where.length === 0 ? labels.text : `(${labels.text} AND ${where.text})`,
      parameters: { ...labels.parameters, ...where.parameters },
    }
  })
  return {
    text: `coalesce(${conditions.map(({ text }) => text).join(' OR ')}, false)`,
    parameters: Object.assign({}, ...conditions.map(({ parameters }) => parameters)),
  }
}

/** Begins a query about the nodes of `$ids` that are selected. `filter`: a label that they need, too. */
export function eachSelected(selectors: readonly NodeSelector[], filter: string | null): Condition {
  const { text, parameters } = selectedCondition(selectors)
  const passes = filter === null ? '' : ` AND n:${quote(filter)}`
  // After `WITH` no index of a property is considered: the nodes are found by their ids.
  return { text: `${eachNode} WITH n WHERE ${text}${passes}`, parameters }
}

/** One label of a selector: what a search of the origin finds at once. */
interface Search {
  label: string
  selector: NodeSelector
  at: number
  /** The selectors before it, and this one with the labels before this one: their nodes were found by earlier searches. */
  earlier: readonly NodeSelector[]
}

function* searchesOf(selectors: readonly NodeSelector[]): Generator<Search> {
  for (const [at, selector] of selectors.entries()) {
    for (const [index, label] of selector.labels.entries()) {
      const before = index === 0 ? [] : [{ ...selector, labels: selector.labels.slice(0, index) }]
      yield { label, selector, at, earlier: [...selectors.slice(0, at), ...before] }
    }
  }
}

/** A search of the nodes that have one label and that no earlier search has found. `filter`: a label that they need. */
function matchOf({ label, selector, at, earlier }: Search, filter: string | null): Condition {
  const where = whereOf(selector, at)
  // The parameters of the selectors before keep their names; this one, with fewer labels, meets the same `where`.
  const found = earlier.length === 0 ? null : selectedCondition(earlier)
  const conditions = [
    ...(where.text === '' ? [] : [where.text]),
    ...(filter === null ? [] : [`n:${quote(filter)}`]),
    // Most nodes have one label, and no other search can have found these, unless it was for the same label.
    ...(found ? [`NOT ${found.text}`] : []),
  ]
  return {
    text: `MATCH (n:${quote(label)})${conditions.length === 0 ? '' : ` WHERE ${both(conditions)}`}`,
    parameters: { ...found?.parameters, ...where.parameters },
  }
}

/**
 * Passes each selected node to `take`, mostly once: a node that changes its labels meanwhile may come twice.
 * @param atMost stops each search after so many nodes
 * @returns whether `atMost` left nodes out
 */
export async function listSelected(
  origin: Pick<Origin, 'each'>,
  selectors: readonly NodeSelector[],
  { filter, atMost }: { filter: string | null; atMost?: number },
  take: (node: InternalId) => void,
): Promise<boolean> {
  const most = atMost ?? Number.POSITIVE_INFINITY
  const limit = atMost === undefined ? '' : ` LIMIT ${atMost + 1}`
  let isCut = false
  for (const search of searchesOf(selectors)) {
    const { text, parameters } = matchOf(search, filter)
    let found = 0
    await origin.each(`${text} RETURN id(n)${limit}`, parameters, (row) => {
      const node = readInternalId(row)
      if (++found > most) isCut = true
      else take(node)
    })
  }
  return isCut
}

/** Counts the nodes of a label that meet the selector; from the origin's statistics if it has no `where`. */
export async function countSelected(
  origin: Pick<Origin, 'each'>,
  label: string,
  selector: NodeSelector,
): Promise<number> {
  const { text, parameters } = matchOf({ label, selector, at: 0, earlier: [] }, null)
  return oneCount(origin, `${text} RETURN count(n)`, parameters)
}

/** Counts the relationships of a type at these nodes, in one direction; likewise. */
export async function countAtSelected(
  origin: Pick<Origin, 'each'>,
  label: string,
  selector: NodeSelector,
  { type, direction }: { type: string; direction: 'out' | 'in' },
): Promise<number> {
  const where = whereOf(selector, 0)
  const [left, right] = direction === 'out' ? ['-', '->'] : ['<-', '-']
  const match = `MATCH (n:${quote(label)})${left}[r:${quote(type)}]${right}()${where.text && ` WHERE ${where.text}`}`
  return oneCount(origin, `${match} RETURN count(r)`, where.parameters)
}

async function oneCount(origin: Pick<Origin, 'each'>, query: string, parameters: object = {}): Promise<number> {
  let count = 0
  await origin.each(query, { ...parameters }, (row) => {
    count = row.integer()
  })
  return count
}

/** Counts, by their labels, the nodes that have none of these. From the statistics alone if there are none. */
export async function countOthers(
  origin: Pick<Origin, 'each'>,
  labels: readonly string[],
): Promise<{ label: string; nodes: number }[]> {
  const counts: { label: string; nodes: number }[] = []
  const query = `MATCH (n) WHERE NOT any(label IN labels(n) WHERE label IN $labels)
    WITH coalesce(head(labels(n)), '') AS label, count(n) AS nodes RETURN label, nodes ORDER BY nodes DESC, label LIMIT ${mostLabels}`
  await origin.each(query, { labels }, (row) => counts.push({ label: row.text(), nodes: row.integer() }))
  return counts
}

/** All nodes of the origin, from its statistics. */
export const countNodes = (origin: Pick<Origin, 'each'>): Promise<number> =>
  oneCount(origin, 'MATCH (n) RETURN count(n)')

/** Labels by which nodes without an identity are counted. Beyond this limit the report leaves labels out. */
export const mostLabels = 100

/** Which of these labels, relationship types or property keys the origin does not have, and never had. */
export async function unknownNames(
  origin: Pick<Origin, 'each'>,
  kind: 'label' | 'relationshipType' | 'propertyKey',
  names: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(names)
  if (unknown.size === 0) return unknown
  const procedure = { label: 'db.labels', relationshipType: 'db.relationshipTypes', propertyKey: 'db.propertyKeys' }[
    kind
  ]
  const query = `CALL ${procedure}() YIELD ${kind} WITH ${kind} WHERE ${kind} IN $names RETURN ${kind}`
  await origin.each(query, { names: [...unknown] }, (row) => unknown.delete(row.text()))
  return unknown
}
