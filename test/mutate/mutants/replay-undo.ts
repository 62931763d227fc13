import type { Mutant } from '../mutant.ts'

const tests = ['integration/replay.undo-restores']

export const replayUndo: readonly Mutant[] = [
  {
    file: 'shared/replay/undo/images.ts',
    what: 'labels that a replay added stay after its undo',
    from: 'removed: surplus.sort(byCodePoint)',
    to: 'removed: []',
    tests,
  },
  {
    file: 'shared/replay/undo/images.ts',
    what: 'of parallel relationships an undo restores one, and makes the others equal to it',
    from: 'fields, [], id === null ? null : idField)',
    to: 'fields, [], null)',
    tests,
  },
  {
    file: 'shared/replay/undo/keep-lists.ts',
    what: 'relationships that a replay added between old nodes stay after its undo',
    from: 'byEnd = additions.filter((one) =>',
    to: 'byEnd = additions.filter((one) => additions.length < 0 &&',
    tests,
  },
  {
    file: 'shared/replay/undo/deleted.ts',
    what: 'relationships that a replay deleted are lost',
    from: "recognised.kind === 'cleanup'",
    to: "recognised.kind === ('none' as string)",
    tests,
  },
  {
    file: 'shared/replay/undo/directory.ts',
    what: 'a replay that goes on overwrites its undo with what it had already changed',
    from: "stage === 'complete'",
    to: "stage === ('none' as string)",
    tests: ['integration/replay.undo-directory'],
  },
  {
    file: 'shared/replay/undo/directory.ts',
    what: 'a replay that was interrupted and undone goes on behind the parts that were undone',
    from: 'isOf(state, known)',
    to: '!isOf(state, known)',
    tests: ['integration/replay.undo-directory'],
  },
  {
    file: 'shared/publish/request/identity.ts',
    what: 'a point given by its fields is taken for another, and the relationship that it tells stays as replayed',
    from: 'const plain = wrap && givenByFields[wrap]',
    to: 'const plain = wrap && undefined',
    tests: ['unit/publish/identity'],
  },
]
