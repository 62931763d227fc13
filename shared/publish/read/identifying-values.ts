import { quote } from '../../packet/cypher/identifiers.ts'
import { type IdentityRule, onceForEach } from '../request/identity.ts'

/**
 * The properties that identify a node, read as a list of values: a fixed part, then the id property of each of its
 * labels. `mappedIndices` may name thousands of labels, but a node has few. A column for each id property would cost
 * time in proportion to all of them, and a notification for each that the origin does not have. Queries take the id
 * properties as `$idProperties`.
 */

/** The properties that are read of a node with any labels. */
export const keysOfEnds = ['index']

/** The expression that returns the values; null for a node that no longer exists. */
export const identifyingValues = (variable: string, fixed: readonly string[]): string =>
  `[${fixed.map((key) => `${variable}.${quote(key)}`).join(', ')}] + ${idValues(variable)}`

const idValues = (variable: string) => `[label IN labels(${variable}) | ${variable}[$idProperties[label]]]`

/** The condition that a node has no label, or none of the properties that could identify it. */
export const isUnidentified = (variable: string): string =>
  `(size(labels(${variable})) = 0 OR ${variable}.${quote('index')} IS NULL AND all(id IN ${idValues(variable)} WHERE id IS NULL))`

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
