import type { Mutant } from '../mutant.ts'

const tests = ['integration/replay.undo-restores']

export const replayUndo: readonly Mutant[] = [
  {
    file: 'client/replay/undo/images.ts',
    what: 'labels that a replay added stay after its undo',
    from: 'removed: surplus.sort(byCodePoint)',
    to: 'removed: []',
    tests,
  },
  {
    file: 'client/replay/undo/images.ts',
    what: 'of parallel relationships an undo restores one, and makes the others equal to it',
    from: 'fields, id === null ? null : idField)',
    to: 'fields, null)',
    tests,
  },
  {
    file: 'client/replay/undo/keep-lists.ts',
    what: 'relationships that a replay added between old nodes stay after its undo',
    from: 'byEnd = additions.filter((one) =>',
    to: 'byEnd = additions.filter((one) => additions.length < 0 &&',
    tests,
  },
  {
    file: 'client/replay/undo/deleted.ts',
    what: 'relationships that a replay deleted are lost',
    from: "recognised.kind === 'cleanup'",
    to: "recognised.kind === ('none' as string)",
    tests,
  },
  {
    file: 'client/replay/undo/directory.ts',
    what: 'a replay that continues does not take its own undo',
    from: "stage !== 'beginning' || names.includes(manifestFile)",
    to: 'false',
    tests: ['integration/replay.undo-directory'],
  },
  {
    file: 'client/replay/undo/directory.ts',
    what: 'two replays at once complete an undo in one directory',
    from: "'wx'",
    to: "'w'",
    tests: ['integration/replay.undo-completed-once'],
  },
  {
    file: 'client/replay/undo/directory.ts',
    what: 'a replay takes the undo of an earlier one that ended without it',
    from: 'known.replay === replayed.replay',
    to: 'known.replay !== undefined',
    tests: ['integration/replay.undo-directory'],
  },
  {
    file: 'client/replay/replay.ts',
    what: 'an undo is promised without a constraint that the manifest omits',
    from: 'facts?.rules ?? needed',
    to: 'needed',
    tests: ['integration/replay.undo-refuses'],
  },
  {
    file: 'client/replay/resume/held.ts',
    what: 'a resumed replay skips parts that an undo or another packet has overwritten',
    from: 'if (differing.has(number)) return heldOnly()',
    to: '',
    tests: ['integration/replay.resumes-in-a-changed-target'],
  },
  {
    file: 'packet/identity.ts',
    what: 'a point given by its fields is taken for another, and the relationship that it tells stays as replayed',
    from: 'const plain = wrap && byFields[wrap]?.call',
    to: 'const plain = wrap && undefined',
    tests: ['unit/publish/identity'],
  },
  {
    file: 'client/replay/undo/keep-lists.ts',
    what: 'an undo deletes relationships that have no id',
    from: 'if (id === null) {',
    to: 'if (id === null) continue\n    if (id === undefined) {',
    tests: ['integration/replay.undo-refuses'],
  },
  {
    file: 'client/replay/undo/target-reader.ts',
    what: 'an undo looks for a node by an id that the replay has changed, and creates another node',
    from: 'const found = own[0] ?? candidates[0]',
    to: 'const found = candidates[0]',
    tests: ['unit/replay/undo-target-reader'],
  },
  {
    file: 'client/replay/undo/facts.ts',
    what: 'labels that one of several statements has added stay after an undo',
    from: 'const labels = added.get(it.node.label) ?? new Set()',
    to: 'const labels = new Set<string>()',
    tests: ['unit/replay/undo-facts'],
  },
  {
    file: 'client/replay/undo/target-reader.ts',
    what: 'an undo of more than 500 pairs takes one element for another',
    from: 'at: first + Number(row.at ?? 0)',
    to: 'at: Number(row.at ?? 0)',
    tests: ['unit/replay/undo-target-reader'],
  },
]
