import { nodeText } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { join, param, type Template, template } from '../cypher/parameters.ts'
import { aName, anElementNode, requires } from '../read-back/read-patterns.ts'
import { readValue } from '../read-back/read-value.ts'
import type { Scanner } from '../read-back/scanner.ts'
import { elementExpression, expression } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import { type Anchor, type Expression, type NodeKey, nodePattern, type Statement } from './statement.ts'

export interface NodeDelete {
  kind: 'nodeDelete'
  node: NodeKey
  /** The expression that each id needs. */
  id: Expression
  /** The nodes that stay, although they have one of the ids: a packet knows them by another identity. */
  except: readonly Anchor[]
}

const list = 'ids'

export const nodeDeleteKind: KindDefinition<NodeDelete> = {
  title: 'node delete',
  phase: 'nodeDeletes',
  list,
  write: ({ node, id, except }) => nodeDelete(node, id, except),
  identities: ({ node, id }) => [{ ...node, id, parameter: list }],

  read(scanner) {
    const isOfLists = scanner.takesTemplate(template`${eachId} `)
    const { id, ...node } = isOfLists ? readListed(scanner) : readIn(scanner)
    const except: Anchor[] = []
    while (scanner.takes(isOfLists && except.length === 0 ? ' WHERE NOT ' : ' AND NOT ')) except.push(readKept(scanner))
    scanner.expect(' DETACH DELETE n')
    return { kind: 'nodeDelete', node, id, except }
  },

  check: (it) => ({
    query: template`${nodesToDelete(it)} RETURN at, n.${quote(it.node.idProperty)} AS id`,
    findings: ({ id }) => [{ kind: 'undeletedNode', text: `${nodeText(it.node, id)} is still there` }],
  }),
}

/**
 * Deletes the nodes with the given ids, and their relationships. `id`: the expression that each of them needs. A node of
 * `except` stays: it has another identity now, but still this label and one of the ids. Its id is the parameter `kept_0`,
 * that of the next one `kept_1`. Seed, Node delete by id; contract 5.
 */
export function nodeDelete(
  node: NodeKey,
  id: Expression,
  except: readonly Anchor[] = [],
): Statement<'ids' | KeptSource> {
  return {
    topic: { kind: 'nodeDelete', label: node.label },
    text: template`${nodesToDelete({ node, id, except })} DETACH DELETE n`,
    bindings: [{ name: list, source: 'ids' }, ...except.map((_, kept) => ({ name: keptName(kept), source: { kept } }))],
  }
}

/** The id of a node that stays, by its position. */
export interface KeptSource {
  kept: number
}

export const keptName = (kept: number): string => `kept_${kept}`

const eachId = template`UNWIND ${param(list)} AS x`

/** Finds the nodes that a node delete deletes, as `n`. `IN` does not always find ids that are lists. */
export function nodesToDelete({ node, id, except }: Omit<NodeDelete, 'kind'>): Template {
  const others = conditions('n', except)
  if (id.list) {
    const where: Template = others.length === 0 ? [] : template` WHERE ${join(others, ' AND ')}`
    return template`${eachId} MATCH ${nodePattern('n', node, elementExpression(id, 'x'))}${where}`
  }
  const ids = expression({ wrap: id.wrap, list: true }, param(list))
  const isIn = template`n.${quote(node.idProperty)} IN ${ids}`
  return template`MATCH (n:${quote(node.label)}) WHERE ${join([isIn, ...others], ' AND ')}`
}

/** ``NOT coalesce(n:`Person` AND n.`id` = {kept_0}, false)``: conditions that a node is none of those that stay. */
export const conditions = (variable: string, except: readonly Anchor[]): Template[] =>
  except.map(({ label, idProperty, id }, kept) => {
    const value = template`${variable}.${quote(idProperty)} = ${expression(id, param(keptName(kept)))}`
    // coalesce: an absent property yields null, and NOT null would keep the node.
    return template`NOT coalesce(${variable}:${quote(label)} AND ${value}, false)`
  })

function readIn(scanner: Scanner): Anchor {
  const [label, idProperty, { wrap, list }] = scanner.read`MATCH (n:${aName}) WHERE n.${aName} IN ${readValue}`
  requires(wrap === null || list)
  return { label, idProperty, id: { wrap, list: false } }
}

function readListed(scanner: Scanner): Anchor {
  const [{ id, ...node }] = scanner.read`MATCH ${anElementNode('n', null)}`
  return { ...node, id: { ...id, list: true } }
}

function readKept(scanner: Scanner): Anchor {
  const [label, idProperty, id] = scanner.read`coalesce(n:${aName} AND n.${aName} = ${readValue}, false)`
  return { label, idProperty, id }
}
