import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files that take longest, in descending order, so that none of them is the last to start. */
export const longest = [
  'test/endurance/faults/soak.random-faults.test.ts',
  'test/endurance/replay/generated-cases.into-neo4j-5.test.ts',
  'test/replay/suites/option-pairs.ts',
  'test/endurance/replay/neo4j-2026.origin-target-manager.test.ts',
  'test/endurance/faults/origins.never-end.test.ts',
  'test/replay/suites/undone.ts',
  'test/endurance/replay/generated-cases.large.test.ts',
  'test/replay/suites/histories.ts',
  'test/endurance/faults/slices.lose-their-workers.test.ts',
  'test/endurance/faults/manager.large-model.test.ts',
  'test/faults/suites/killed-replays.ts',
  'test/endurance/unit/api/worst-bodies.test.ts',
  'test/endurance/faults/tenants.models.test.ts',
  'test/endurance/faults/tenants.texts.test.ts',
  'test/unit/patterns.are-linear.test.ts',
  'test/endurance/faults/manager.database-away.test.ts',
  'test/endurance/faults/submit.cut-between-commands.test.ts',
  'test/endurance/faults/redis.rolled-back.test.ts',
  'test/replay/whole-graph.replays-equal.test.ts',
  'test/endurance/unit/origin/chunks.test.ts',
  'test/replay/suites/grouped.ts',
  'test/endurance/faults/programs.told-to-stop-while-redis-hangs.test.ts',
  'test/e2e/manager.import-export.test.ts',
  'test/endurance/faults/memory.stays-bounded.test.ts',
  'test/integration/manager.deletes-in-steps.test.ts',
  'test/integration/suites/undo-restores.ts',
  'test/integration/verify.tells-types-apart.test.ts',
  'test/replay/suites/differences.ts',
  'test/e2e/compression.over-http.test.ts',
  'test/endurance/e2e/cli.copy.test.ts',
  'test/integration/suites/each-difference.ts',
  'test/faults/suites/undone-kills.ts',
  'test/integration/packet.origin-changes-meanwhile.test.ts',
  'test/endurance/integration/packet.large-elements.test.ts',
  'test/replay/suites/odd-names.ts',
  'test/replay/suites/type-matrix-ids.ts',
  'test/endurance/integration/packet.parallel-relationships.test.ts',
  'test/endurance/replay/generated-cases.into-neo4j-3-5.test.ts',
  'test/replay/suites/type-matrix-properties.ts',
  'test/endurance/unit/lifecycle/listen.drains.test.ts',
  'test/endurance/unit/publish/keep-lists.memory.test.ts',
]

/** Project by project, the longest files first, then the others by name. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = new Map(files.map((file) => [file, placeOf(file)]))
    return files.toSorted((a, b) => (places.get(a) as string).localeCompare(places.get(b) as string))
  }
}

function placeOf({ project, moduleId }: TestSpecification): string {
  const at = longest.findIndex((file) => moduleId.endsWith(file))
  const rank = at === -1 ? longest.length : at
  return `${project.config.sequence.groupOrder} ${String(rank).padStart(3, '0')} ${moduleId}`
}
