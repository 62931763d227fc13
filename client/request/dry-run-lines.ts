import type { DryRun } from '../../wire/dry-run.ts'
import { number, packetText, plural, present, reportLines, requiresLines, size } from '../format.ts'

/** What a publish would make: a table, and everything that a user should check. */
export function dryRunLines(it: DryRun): string[] {
  const { projected, unpublishable } = it
  return [
    `would make ${packetText(it.pairs, it.parts, it.bytes)}`,
    ...(it.complete ? [] : incompleteLines(it)),
    ...(projected === null
      ? []
      : [`in all about ${packetText(projected.pairs, projected.parts, projected.bytes)}, if the others are alike`]),
    ...(it.selections ?? []).flatMap(selectionLines),
    ...table(rowsOf(it)),
    ...(it.masking ? maskingLines(it.masking) : []),
    ...reportLines({ ...it, skipped: {} }),
    ...requiresLines({ ...it.requires, constraints: it.requires.constraints ?? [] }),
    ...unpublishableHead(unpublishable),
    ...unpublishable.first.map((one) => `  ${unpublishableText(one)}`),
    ...it.warnings.map((warning) => `warning: ${warning}`),
    ...(it.wouldConflict ? ['The name is taken, or another publish is writing it.'] : []),
  ]
}

function unpublishableHead({ count, first }: DryRun['unpublishable']): string[] {
  if (count === 0) return []
  return [`unpublishable: ${number.format(count)}${count > first.length ? ', of which the first' : ''}`]
}

const incompleteLines = ({ limit, subRequests, subRequestsRead }: DryRun) => [
  `incomplete, by its limit of ${limit}: these are of what was read, ${number.format(subRequestsRead)} of ${plural(subRequests, 'sub-request')} whole`,
]

const selectionLines = ({ label, nodes, indexes, relationships }: NonNullable<DryRun['selections']>[number]) => [
  `selects ${plural(nodes, 'node')} :${label}${indexes === null ? '' : indexes.length === 0 ? ', found without an index' : `, found by the index of ${indexes.join(', ')}`}`,
  ...Object.entries(relationships).map(([type, count]) => `  with ${plural(count, 'relationship')} :${type}`),
]

function maskingLines({ counts, sample }: NonNullable<DryRun['masking']>): string[] {
  if (counts.length === 0) return ['masks nothing: no published element has a property of the rules']
  const becomes = { drop: 'left out', null: 'null', hash: null }
  return [
    ...counts.map(
      ({ name, property, action, values }) => `masks ${plural(values, 'value')} of ${name}.${property} by ${action}`,
    ),
    ...sample.flatMap(({ label, properties }) => [
      `  a node :${label}`,
      ...properties.map(
        ({ property, action, before, after }) => `    ${property}: ${before} -> ${becomes[action] ?? after}`,
      ),
    ]),
  ]
}

const rowsOf = ({ statements, nodes, relationships, otherRelationships = 0, largestPair }: DryRun) => [
  ...present(statements).map(([kind, count]) => [kind, number.format(count)] as const),
  ['nodes to start from', number.format(nodes.origin)] as const,
  ['targeted nodes', number.format(nodes.targeted)] as const,
  ['other ends of relationships', number.format(nodes.farEnds)] as const,
  ...Object.entries(relationships).map(([type, count]) => [`relationships ${type}`, number.format(count)] as const),
  ...(otherRelationships > 0 ? [['relationships of other types', number.format(otherRelationships)] as const] : []),
  ...(largestPair === null ? [] : [['largest pair', `${size(largestPair.bytes)}, ${largestPair.about}`] as const]),
]

function table(rows: readonly (readonly [what: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([what]) => what.length))
  return rows.map(([what, value]) => `  ${what.padEnd(width)}  ${value}`)
}

function unpublishableText({ what, label, type, id, element, reason }: DryRun['unpublishable']['first'][number]) {
  const name = what === 'node' ? `:${label ?? ''}(${id ?? ''})` : `[:${type}${id === null ? '' : ` ${id}`}]`
  return element === null ? `${name}: ${reason}` : `${name}: ${element} ${reason}`
}
