import type { Direction, KeepClause } from '../kinds/keep-clauses.ts'
import type { Expression } from '../kinds/statement.ts'
import { readBoundList } from './read-value.ts'
import { mismatch, type Scanner } from './scanner.ts'

/** The expressions of the ids in each list that a cleanup binds first, by the digits of its name. */
type BoundLists = ReadonlyMap<string, readonly Expression[]>

const anyParameter = [{ name: 'any' }]
const plain: Expression = { wrap: null, list: false }
const plainList: Expression = { wrap: null, list: true }

/** Reads the lists that a cleanup binds first; perhaps none. */
export function readBoundLists(scanner: Scanner): BoundLists {
  const bound = new Map<string, readonly Expression[]>()
  if (!scanner.takes('WITH ')) return bound
  do {
    const expressions = readBoundList(scanner)
    scanner.expect(' AS ')
    bound.set(digitsOfList(scanner), expressions)
  } while (scanner.takes(', '))
  scanner.expect(' ')
  return bound
}

/** Reads the clauses after the pattern of a cleanup, each with the expressions of its list; perhaps none. */
export function readKeepClauses(scanner: Scanner, direction: Direction, bound: BoundLists): KeepClause[] {
  const clauses: KeepClause[] = []
  if (!scanner.takes(' WHERE NOT ')) return clauses
  const isEnclosed = scanner.takes('(')
  do clauses.push(readClause(scanner, direction, bound))
  while (scanner.takes(' OR '))
  if (isEnclosed) scanner.expect(')')
  return clauses
}

function readClause(scanner: Scanner, along: Direction, bound: BoundLists): KeepClause {
  const isOut = scanner.takes('startNode(r) = n AND ')
  const end = isOut ? 'out' : scanner.takes('endNode(r) = n AND ') ? 'in' : along
  const direction = end === 'in' ? 'in' : 'out'
  scanner.expect('coalesce(')
  const label = scanner.takes('m:') ? scanner.name() : null
  if (label !== null) scanner.expect(' AND ')
  const { far, own, expressions } = scanner.takes('any(x IN ') ? readAny(scanner, bound) : readIn(scanner, bound)
  scanner.expect(', false)')
  const [id, relationshipId = plain] = expressions as [Expression, Expression?]
  if (label === null && far === null && own !== null) return { by: 'relationshipId', field: own, id }
  if (label === null || far === null) throw mismatch
  if (own === null) return { by: 'farEnd', direction, label, idProperty: far, id }
  return { by: 'farEndAndId', direction, label, idProperty: far, id, field: own, relationshipId }
}

/** The properties that a clause compares, and the expressions of the ids in its list. */
interface Compared {
  far: string | null
  own: string | null
  expressions: readonly Expression[]
}

/** `` m.`id` IN {ids_0} ``, `` r.`grn` IN … `` or `` [m.`id`, r.`grn`] IN … `` */
function readIn(scanner: Scanner, bound: BoundLists): Compared {
  const compared = readIds(scanner)
  scanner.expect(' IN ')
  return { ...compared, expressions: readList(scanner, bound) }
}

/** `` ids_0 WHERE x[0] = m.`days` AND x[1] = r.`grn`) `` or `` {ids_0} WHERE x = r.`grn`) `` */
function readAny(scanner: Scanner, bound: BoundLists): Compared {
  // Only lists are compared one by one.
  const expressions = readList(scanner, bound).map((one) => (one.wrap === null ? plainList : one))
  const compared = scanner.takes(' WHERE x = ') ? readIds(scanner) : readParts(scanner)
  scanner.expect(')')
  return { ...compared, expressions }
}

function readIds(scanner: Scanner): Omit<Compared, 'expressions'> {
  const isPair = scanner.takes('[')
  const far = scanner.takes('m.') ? scanner.name() : null
  if (isPair) scanner.expect(', ')
  const own = scanner.takes('r.') ? scanner.name() : null
  if (isPair) scanner.expect(']')
  return { far, own }
}

function readParts(scanner: Scanner): Omit<Compared, 'expressions'> {
  scanner.expect(' WHERE x[0] = ')
  const far = scanner.takes('m.') ? scanner.name() : null
  const own = scanner.takes(far === null ? 'r.' : ' AND x[1] = r.') ? scanner.name() : null
  return { far, own }
}

function readList(scanner: Scanner, bound: BoundLists): readonly Expression[] {
  const expressions = scanner.takesTemplate(anyParameter) ? [plain, plain] : bound.get(digitsOfList(scanner))
  if (expressions === undefined) throw mismatch
  return expressions
}

/** Reads the name of a list, without the backticks of an identifier. */
function digitsOfList(scanner: Scanner): string {
  scanner.expect('ids_')
  return scanner.digits()
}
