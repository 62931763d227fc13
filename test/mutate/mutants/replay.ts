import type { Mutant } from '../mutant.ts'

const verify = ['integration/verify.finds']

export const replay: readonly Mutant[] = [
  {
    file: 'shared/cypher/as-stored.ts',
    what: 'an id that is stored as 5.0 and requested as 5 is published as 5',
    from: '`[${variable}][0]`',
    to: 'variable',
    tests: ['replay/indexed-ids'],
  },
  {
    file: 'shared/replay/run/retry.ts',
    what: 'a replay fails before it begins because another client creates a constraint',
    from: 'withRetries(attempt, { gate: createGate(), signal, onRetry() {}, reconnectMs: 0 })',
    to: 'attempt()',
    tests: ['unit/replay/preflight'],
  },
  {
    file: 'shared/replay/verify/values.ts',
    what: 'a comparison takes 1 for 1.0, and 0.0 for -0.0',
    from: 'if (Object.is(a, b)) return true',
    to: 'if (typeof a !== "object" && Number(a) === Number(b)) return true',
    tests: ['integration/verify.tells'],
  },
  {
    file: 'shared/replay/verify/values.ts',
    what: 'a comparison takes both instants of an hour that is repeated for one',
    from: 'if (areEqual === false || ',
    to: 'if (',
    tests: ['integration/verify.tells'],
  },
  {
    file: 'shared/replay/verify/checks.ts',
    what: 'a label that a packet removes may stay',
    from: '=> labels.includes(label))\n      return',
    to: '=> false && labels.includes(label))\n      return',
    tests: verify,
  },
  {
    file: 'shared/replay/verify/checks.ts',
    what: 'a comparison finds differences in properties that the target keeps',
    from: 'propertyFindings(subject, actual, expected, equal, changes.protectedKeys)',
    to: 'propertyFindings(subject, actual, expected, equal, [])',
    tests: verify,
  },
  {
    file: 'shared/replay/verify/checks.ts',
    what: 'a node that is there twice is not told',
    from: 'earlier === 1 ?',
    to: 'earlier === 2 ?',
    tests: verify,
  },
  {
    file: 'shared/replay/verify/checks.ts',
    what: 'a relationship is found by its ends where it has an id of its own',
    from: '(a)-[r:${quote(type)}${idPattern(id)}]->(b)',
    to: '(a)-[r:${quote(type)}]->(b)',
    tests: verify,
  },
  {
    file: 'shared/replay/verify/checks.ts',
    what: 'an id that has another type at the target is not told',
    from: 'WITH at, row, ${asStored(variable)} AS ${variable}',
    to: 'WITH at, row, ${variable}',
    tests: ['integration/verify.tells'],
  },
  {
    file: 'shared/replay/verify/finding.ts',
    what: 'a property that a packet does not have is not told',
    from: 'if (Object.hasOwn(expected, key) || protectedKeys.includes(key)) continue',
    to: 'continue',
    tests: verify,
  },
  {
    file: 'shared/replay/verify/verify.ts',
    what: 'only the first window of a packet is compared',
    from: 'progress.partsDone += window.length\n',
    to: 'progress.partsDone += window.length\n    if (progress.partsDone > 0) break\n',
    tests: verify,
  },
  {
    file: 'shared/replay/preflight/preflight.ts',
    what: 'a dry run creates constraints',
    from: 'isDry ? [] : missing',
    to: 'missing',
    tests: ['e2e/cli.verify'],
  },
  {
    file: 'cli/commands/copy.ts',
    what: 'a copy that goes on takes the packet of another job',
    from: 'if (source.manifest?.jobId === id) return source',
    to: 'return source',
    tests: ['e2e/cli.copy'],
  },
  {
    file: 'cli/copy-key.ts',
    what: 'a copy that goes on publishes again',
    from: 'uuid.test(known) ? known : randomUUID()',
    to: 'randomUUID()',
    tests: ['e2e/cli.copy'],
  },
]
