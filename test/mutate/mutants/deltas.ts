import type { Mutant } from '../mutant.ts'

const base = ['integration/replay.delta-needs-its-base']

export const deltas: readonly Mutant[] = [
  {
    file: 'client/replay/base/guard.ts',
    what: 'a delta is replayed into a target of which nothing is known',
    from: 'held !== null && fits(held, step)',
    to: 'held === null || fits(held, step)',
    tests: base,
  },
  {
    file: 'client/replay/run/transaction.ts',
    what: 'a replay that was believed dead overwrites what the next one wrote',
    from: 'connection.check?.(transaction)',
    to: 'null',
    tests: base,
  },
  {
    file: 'client/replay/base/marker.ts',
    what: 'two replays that begin at the same time both take the marker',
    from: 'WITH m WHERE m.counter = $counter SET',
    to: 'WITH m SET',
    tests: base,
  },
  {
    file: 'client/replay/replay.ts',
    what: 'a target that has refused a pair counts as one that has the state',
    from: 'if (tally.rejected === 0) await guard?.end()',
    to: 'await guard?.end()',
    tests: base,
  },
  {
    file: 'client/replay/base/held.ts',
    what: 'another delta is replayed while one has begun and not ended',
    from: 'state === from && to === next',
    to: 'state === from',
    tests: ['unit/replay/held-states'],
  },
  {
    file: 'packet/kinds/node-delete.ts',
    what: 'a deletion spares a node that has the label of one that stays, but no id there',
    from: 'NOT coalesce(${variable}:${quote(label)} AND ${value}, false)',
    to: 'NOT (${variable}:${quote(label)} AND ${value})',
    tests: ['unit/publish/statements.deletes'],
  },
  {
    file: 'client/replay/order/batches.ts',
    what: 'a share of a node delete deletes the nodes that it must spare',
    from: '{ ...item.parameters, [name]: list.slice(at * most, (at + 1) * most) }',
    to: '{ [name]: list.slice(at * most, (at + 1) * most) }',
    tests: ['unit/replay/order'],
  },
  {
    file: 'client/replay/state/key-set.ts',
    what: 'a comparison with a state takes an older pair for the newest',
    from: 'keys.markOnce(element)',
    to: 'keys.has(element)',
    tests: ['unit/replay/state-selection'],
  },
  {
    file: 'shared/publish/state/lines.ts',
    what: 'a key with several lines passes because its first line is equal',
    from: 'if (hasKeyAt(a, length, keyLength) || hasKeyAt(b, length, keyLength)) return',
    to: '',
    tests: ['unit/publish/state/differences'],
  },
  {
    file: 'worker/state-of-packet.ts',
    what: 'a packet deletes a node by its old id after it has written it',
    from: 'parts: [...staging.parts.slice(first), ...parts]',
    to: 'parts: [...parts, ...staging.parts.slice(first)]',
    tests: ['e2e/base.relabelled-twice'],
  },
]
