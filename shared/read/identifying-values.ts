import { quote } from '../../packet/cypher/identifiers.ts'
import { type IdentityRule, onceForEach } from '../request/identity.ts'

/**
 * The properties that identify a node, read as a list of values: a fixed part, then the id property of each of its
 * labels. `mappedIndices` may name thousands of labels, but a node has few. A column for each id property would cost
 * time in proportion to all of them, and a notification for each that the origin does not have. Queries take the id
 * properties as `$idProperties`.
 *
 * Labels change while a query runs. So it binds the labels of a node once, and returns the same ones that chose the
 * values: labels of a second look would identify the node by the id of another label.
 */

/** The properties that are read of a node with any labels. */
export const keysOfEnds = ['index']

/** The clause that binds the labels of these nodes, and keeps these variables. */
export const bindLabels = (nodes: readonly string[], variables: readonly string[]): string =>
  `WITH ${[...variables, ...nodes.map((node) => `labels(${node}) AS ${labelsOf(node)}`)].join(', ')}`

/** The columns of the labels that `bindLabels` has bound, and of the values; null for a node that no longer exists. */
export const labelsAndValues = (node: string, fixed: readonly string[]): string =>
  `${labelsOf(node)}, [${fixed.map((key) => `${node}.${quote(key)}`).join(', ')}] + ${idValues(node, labelsOf(node))}`

const labelsOf = (node: string) => `${node}Labels`

const idValues = (node: string, labels: string) => `[label IN ${labels} | ${node}[$idProperties[label]]]`

/** The condition that a node has no label, or none of the properties that could identify it. */
export const isUnidentified = (variable: string): string =>
  `(size(labels(${variable})) = 0 OR ${variable}.${quote('index')} IS NULL AND all(id IN ${idValues(variable, `labels(${variable})`)} WHERE id IS NULL))`

/** The keys of the values, for a node with these labels; null for a value that has none, or repeats an earlier one. */
export const identifyingKeys = (rule: IdentityRule, fixed: readonly string[], labels: readonly string[]) =>
  keysOfRule(rule)(fixed)(labels)

// Most nodes share their labels with others, and then also the array.
const keysOfRule = onceForEach((rule: IdentityRule) =>
  onceForEach((fixed: readonly string[]) =>
    onceForEach((labels: readonly string[]): readonly (Buffer | null)[] => {
      const known = new Set<string | undefined>([undefined])
      return [...fixed, ...labels.map((label) => rule.idProperties.get(label))].map((key) => {
        if (key === undefined || known.has(key)) return null
        known.add(key)
        return Buffer.from(key)
      })
    }),
  ),
)
