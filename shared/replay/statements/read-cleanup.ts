import type { KeepClause } from '../../publish/pairs/statements/cleanup.ts'
import type { Expression } from '../../publish/pairs/statements/statement.ts'
import type { Direction } from '../../publish/request/relationship-types.ts'
import { readBoundList } from './expressions.ts'
import { Mismatch, type Scanner } from './scanner.ts'

/** Each list of ids that is bound first, by its name. */
export function readBoundLists(scanner: Scanner): ReadonlyMap<string, Expression> {
  const bound = new Map<string, Expression>()
  do {
    const expression = readBoundList(scanner)
    scanner.expect(' AS ')
    bound.set(listName(scanner), expression)
  } while (scanner.takes(', '))
  scanner.expect(' ')
  return bound
}

/** The clauses after the pattern, each with the expression of its list. */
export function readClauses(
  scanner: Scanner,
  direction: Direction,
  bound: ReadonlyMap<string, Expression>,
): KeepClause[] {
  const clauses: KeepClause[] = []
  if (!scanner.takes(' WHERE NOT ')) return clauses
  const isEnclosed = scanner.takes('(')
  do clauses.push(readClause(scanner, direction, bound))
  while (scanner.takes(' OR '))
  if (isEnclosed) scanner.expect(')')
  return clauses
}

function readClause(scanner: Scanner, direction: Direction, bound: ReadonlyMap<string, Expression>): KeepClause {
  const isOut = scanner.takes('startNode(r) = n AND ')
  const end = isOut ? 'out' : scanner.takes('endNode(r) = n AND ') ? 'in' : direction
  if (scanner.takes('coalesce(r.')) {
    return { by: 'relationshipId', field: scanner.name(), id: readKeptIds(scanner, bound) }
  }
  scanner.expect('coalesce(m:')
  const label = scanner.name()
  scanner.expect(' AND m.')
  const idProperty = scanner.name()
  const id = readKeptIds(scanner, bound)
  return { by: 'farEnd', direction: end === 'in' ? 'in' : 'out', label, idProperty, id }
}

function readKeptIds(scanner: Scanner, bound: ReadonlyMap<string, Expression>): Expression {
  scanner.expect(' IN ')
  const id = scanner.takesTemplate(anyParameter) ? plain : bound.get(listName(scanner))
  scanner.expect(', false)')
  if (id === undefined) throw new Mismatch()
  return id
}

const anyParameter = [{ name: 'any' }]
const plain: Expression = { wrap: null, list: false }

/** The name of a list, without the backticks of an identifier. */
function listName(scanner: Scanner): string {
  scanner.expect('ids_')
  return scanner.digits()
}
