import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files that take longest, in descending order, so that none of them is the last to start. */
export const longest = [
  'test/endurance/integration/packet.origin-changes-meanwhile.test.ts',
  'test/endurance/replay/generated-cases.into-neo4j-5.test.ts',
  'test/endurance/faults/soak.random-faults.test.ts',
  'test/endurance/faults/redis.sentinels-promote.test.ts',
  'test/endurance/replay/generated-cases.option-pairs.test.ts',
  'test/endurance/faults/origins.never-end.test.ts',
  'test/endurance/faults/tenants.memory.test.ts',
  'test/endurance/e2e/start.in-an-empty-environment.test.ts',
  'test/endurance/faults/slices.lose-their-workers.test.ts',
  'test/endurance/replay/neo4j-2026.origin-target-manager.test.ts',
  'test/endurance/integration/replay.exchanged-values.test.ts',
  'test/endurance/replay/neo4j-3.4.origin-target-manager.test.ts',
  'test/endurance/replay/generated-cases.large.test.ts',
  'test/endurance/unit/api/worst-bodies.test.ts',
  'test/endurance/faults/worker.blocked-beyond-its-lock.test.ts',
  'test/endurance/integration/manager.deletes-in-steps.test.ts',
  'test/endurance/faults/submit.cut-between-commands.test.ts',
  'test/endurance/faults/memory.stays-bounded.test.ts',
  'test/endurance/integration/packet.large-elements.test.ts',
  'test/endurance/faults/tenants.slots-and-queue.test.ts',
  'test/endurance/integration/replay.undo-restores.test.ts',
  'test/endurance/faults/redis.rolled-back.test.ts',
  'test/endurance/integration/doctor.redis-and-keys.test.ts',
  'test/endurance/faults/redis.takes-rights-away.test.ts',
  'test/endurance/faults/redis.unsupported-servers.test.ts',
  'test/endurance/faults/redis.connections-made-again.test.ts',
  'test/faults/redis.takes-rights-away.test.ts',
  'test/faults/redis.connections-made-again.test.ts',
  'test/faults/redis.user-of-the-docs.test.ts',
  'test/endurance/faults/manager.large-model.test.ts',
  'test/integration/packet.origin-changes-meanwhile.test.ts',
  'test/endurance/faults/programs.stop-while-redis-hangs.test.ts',
  'test/endurance/faults/redis.frozen-killed-or-emptied.test.ts',
  'test/endurance/faults/redis.sentinels-with-tls.test.ts',
  'test/endurance/faults/manager.database-away.test.ts',
  'test/endurance/replay/injection.requests-run-nothing-else.test.ts',
  'test/endurance/e2e/small-publish.one-login.test.ts',
  'test/endurance/unit/origin/chunks.test.ts',
  'test/endurance/e2e/manager.import-export.test.ts',
  'test/endurance/faults/tenants.models.test.ts',
  'test/endurance/integration/doctor.store-manager-access.test.ts',
  'test/endurance/integration/packet.parallel-relationships.test.ts',
  'test/endurance/faults/worker.killed-at-every-step.test.ts',
  'test/endurance/faults/origins.same-error-for-all-refusals.test.ts',
  'test/endurance/replay/odd-names.replay-equal.test.ts',
  'test/endurance/replay/diff.completes-an-old-packet.test.ts',
  'test/endurance/integration/verify.reports-types-apart.test.ts',
  'test/endurance/faults/worker.frozen-past-its-lock.test.ts',
  'test/endurance/integration/relationship-ids.few-queries.test.ts',
  'test/endurance/e2e/cli.replay-interrupted.test.ts',
  'test/endurance/faults/redis.wrong-password.test.ts',
  'test/endurance/e2e/manager.orgs.test.ts',
  'test/endurance/faults/jobs.of-a-newer-version.test.ts',
  'test/endurance/faults/store.misbehaves-under-an-api.test.ts',
  'test/endurance/replay/grouped.replays-equal.test.ts',
  'test/endurance/replay/relationships.of-eight-seasons.test.ts',
  'test/endurance/replay/cleanups.of-every-id-type.test.ts',
  'test/replay/parallel-relationships.follow-the-origin.test.ts',
  'test/replay/generated-cases.into-neo4j-3-5.test.ts',
  'test/replay/diff.completes-an-old-packet.test.ts',
  'test/endurance/faults/job.kills-its-workers.test.ts',
  'test/endurance/faults/callbacks.killed-workers.test.ts',
  'test/endurance/replay/whole-graph.replays-equal.test.ts',
  'test/replay/generated-cases.into-neo4j-5.test.ts',
  'test/endurance/e2e/cli.copy.test.ts',
  'test/endurance/unit/lifecycle/listen.drains.test.ts',
  'test/endurance/unit/packets/packets.pages.test.ts',
  'test/endurance/faults/store.misbehaves-under-a-worker.test.ts',
  'test/replay/generated-cases.undo-restores.test.ts',
  'test/replay/odd-names.replay-equal.test.ts',
  'test/replay/histories.end-exactly.test.ts',
  'test/replay/grouped.replays-equal.test.ts',
  'test/integration/manager.deletes-in-steps.test.ts',
  'test/e2e/manager.import-export.test.ts',
  'test/http/document.examples-work.test.ts',
  'test/http/authorisation.every-endpoint.test.ts',
  'test/replay/generated-cases.dry-run.test.ts',
  'test/replay/options.replay-as-asked.test.ts',
  'test/e2e/expiry.over-http.test.ts',
  'test/integration/packet.many-id-properties.test.ts',
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
