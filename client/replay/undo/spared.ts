import { join, type Template, template } from '../../../packet/cypher/parameters.ts'
import { conditions, keptName } from '../../../packet/kinds/node-delete.ts'
import type { Item } from '../order/batches.ts'

/** A condition that excludes the nodes which a node delete leaves alone, and its parameters; for other items, nothing. */
export function spared({ recognised, parameters }: Item, variable: string) {
  const except = recognised.kind === 'nodeDelete' ? recognised.except : []
  const where: Template = except.length === 0 ? [] : template` WHERE ${join(conditions(variable, except), ' AND ')}`
  const kept = except.map((_, at): [string, unknown] => [keptName(at), parameters[keptName(at)]])
  return { where, parameters: Object.fromEntries(kept) }
}
