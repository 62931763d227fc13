import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/setup/longest-first.ts'

const unit = ['test/unit/**/*.test.ts', 'test/endurance/unit/**/*.test.ts', 'test/architecture.test.ts']
const stack = 'test/support/setup/global-setup.ts'

/**
 * Files of the outer ring that run only in `npm run test:all`, or if they are named. They take long, and most repeat at
 * a larger size, with other draws or on another database what a shorter test does.
 */
const onlyInAll = [
  'test/endurance/console/console.faults.test.ts',
  'test/endurance/console/console.sizes.test.ts',
  'test/endurance/e2e/base.deltas-add-up.test.ts',
  'test/endurance/e2e/base.public-graphs.test.ts',
  'test/endurance/e2e/manager.import-export.test.ts',
  'test/endurance/e2e/manager.lists-in-pages.test.ts',
  'test/endurance/e2e/relationship-ids.shared-by-many.test.ts',
  'test/endurance/faults/event-streams.cost-little.test.ts',
  'test/endurance/faults/files.large-org.test.ts',
  'test/endurance/faults/manager.database-away.test.ts',
  'test/endurance/faults/manager.large-model.test.ts',
  'test/endurance/faults/memory.stays-bounded.test.ts',
  'test/endurance/faults/origins.never-end.test.ts',
  'test/endurance/faults/queue.full-of-jobs.test.ts',
  'test/endurance/faults/redis.connections-made-again.test.ts',
  'test/endurance/faults/redis.takes-rights-away.test.ts',
  'test/endurance/faults/replay.killed-after-transactions.test.ts',
  'test/endurance/faults/replay.killed-and-undone.test.ts',
  'test/endurance/faults/selections.lose-their-workers.test.ts',
  'test/endurance/faults/soak.random-faults.test.ts',
  'test/endurance/faults/store.away-for-long.test.ts',
  'test/endurance/faults/submit.cut-between-commands.test.ts',
  'test/endurance/faults/tenants.memory.test.ts',
  'test/endurance/faults/tenants.models.test.ts',
  'test/endurance/faults/tenants.slots-and-queue.test.ts',
  'test/endurance/faults/tenants.texts.test.ts',
  'test/endurance/integration/manager.deletes-in-steps.test.ts',
  'test/endurance/integration/manager.whole-versions-on-neo4j-3.5.test.ts',
  'test/endurance/integration/packet.large-elements.test.ts',
  'test/endurance/integration/packet.origin-changes-meanwhile.test.ts',
  'test/endurance/integration/packet.parallel-relationships.test.ts',
  'test/endurance/integration/replay.undo-restores.test.ts',
  'test/endurance/integration/verify.finds-each-difference.test.ts',
  'test/endurance/integration/verify.reports-types-apart.test.ts',
  'test/endurance/replay/cleanups.of-every-id-type.test.ts',
  'test/endurance/replay/duplicates.refused-or-exact.test.ts',
  'test/endurance/replay/films.of-two-revisions.test.ts',
  'test/endurance/replay/generated-cases.dry-run.test.ts',
  'test/endurance/replay/generated-cases.into-neo4j-3-5.test.ts',
  'test/endurance/replay/generated-cases.into-neo4j-5.test.ts',
  'test/endurance/replay/generated-cases.large.test.ts',
  'test/endurance/replay/generated-cases.models.test.ts',
  'test/endurance/replay/generated-cases.option-pairs.test.ts',
  'test/endurance/replay/generated-cases.undo-restores.test.ts',
  'test/endurance/replay/grouped.replays-equal.test.ts',
  'test/endurance/replay/neo4j-2026.origin-target-manager.test.ts',
  'test/endurance/replay/odd-names.replay-equal.test.ts',
  'test/endurance/replay/other-databases.origin-and-target.test.ts',
  'test/endurance/replay/type-matrix.ids-replay-equal.test.ts',
  'test/endurance/replay/type-matrix.properties-replay-equal.test.ts',
  'test/endurance/replay/whole-graph.replays-equal.test.ts',
  'test/endurance/unit/api/worst-bodies.test.ts',
  'test/endurance/unit/patterns.are-linear.test.ts',
  'test/endurance/unit/patterns.take-no-time.test.ts',
  'test/endurance/unit/publish/keep-lists.memory.test.ts',
]

const inner = ['test/!(endurance)/**', 'test/*.test.ts']
/** What a run of one ring leaves out; without a ring all files run. */
const leftOut: Record<string, string[]> = {
  inner: ['test/endurance/**'],
  outer: [...inner, ...onlyInAll],
  'outer, named files': inner,
}
/** Tests of what the store does: they run against the stack's store, and in the outer ring against the rules of MinIO. */
const stores = [
  'test/contract/object-store.s3.test.ts',
  'test/integration/{expiry,generations,links,packets,parts,plain-files,sweep}.*.test.ts',
]

/** Those that run against a VersityGW too, which `test/run.ts` has built: what depends on the server itself. */
const ofVersityGw = [
  'test/contract/object-store.s3.test.ts',
  'test/integration/{generations,packets,plain-files}.*.test.ts',
]

const exclude = leftOut[process.env.TEST_RING ?? ''] ?? []

/**
 * Two projects, one after the other: tests without the stack, and tests with it. The stack starts only if a file that
 * needs it runs. Three processes run the files, as tests of faults mostly wait; a process of its own for each file would
 * load the same modules hundreds of times.
 */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Only ends tests that hang. What takes 30 s on a busy machine must not turn red on a busier one.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // Likewise: what a test waits for comes at once, but not on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    provide: {
      isLong: process.env.LONG_TESTS === '1',
      asked: JSON.parse(process.env.FUZZ ?? '{}'),
      soak: JSON.parse(process.env.SOAK ?? '{}'),
      tried: JSON.parse(process.env.TRIED ?? '{}'),
    },
    reporters: process.env.TEST_RESULTS ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }]] : ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: unit, exclude, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...exclude],
          globalSetup: stack,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'stores',
          include: process.env.TEST_RING === 'inner' ? [] : stores,
          globalSetup: 'test/support/setup/store-setup.ts',
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'versitygw',
          include: process.env.VERSITYGW === 'built' ? ofVersityGw : [],
          globalSetup: 'test/support/setup/versitygw-setup.ts',
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
