import type { Mutant } from '../mutant.ts'

export const slices: readonly Mutant[] = [
  {
    file: 'shared/jobs/run-scripts.ts',
    what: 'a job is cancelled while a slice is being built, because silent runs have ended late',
    from: "if slice ~= '' and unended(slices) > 0 then",
    to: "if slice ~= '' then",
    tests: ['integration/job-record.run-time'],
  },
  {
    file: 'shared/jobs/run-scripts.ts',
    what: 'a slice that is tried again counts as one that kills its workers',
    from: "return redis.call('HINCRBY', key, of .. 'unended', -1)",
    to: 'return 1',
    tests: ['integration/slice-record'],
  },
  {
    file: 'shared/jobs/stored/stored-request.ts',
    what: 'slices of a large multi are cut in the middle of sub-requests that are not ASCII',
    from: 'for (const { length: bytes } of slices) {',
    to: 'for (const bytes of slices.map((slice) => slice.toString().length)) {',
    tests: ['integration/slice-results.count-once'],
  },
  {
    file: 'shared/jobs/stored/stored-request.ts',
    what: 'slices are compared as their sub-requests were sent, not as the model completes them',
    from: 'treatments: boundTreatments(treatments, read.model)',
    to: 'treatments',
    tests: ['e2e/multi.slices'],
  },
  {
    file: 'shared/jobs/stored/stored-request.ts',
    what: 'a worker that does not know an option of a plan builds its slices without it',
    from: `  requireKnownFields(
    plan.treatments`,
    to: `  new Set(
    plan.treatments`,
    tests: ['integration/slice-results.count-once'],
  },
  {
    file: 'shared/queue/fair-queueing.ts',
    what: 'a retry of an old job gives other orgs the turns that are over',
    from: "if tonumber(started) <= tonumber(redis.call('GET', turn) or 0) then return 0 end",
    to: '',
    tests: ['integration/queue.turns'],
  },
  {
    file: 'shared/queue/fair-queueing.ts',
    what: 'Redis keeps the turn of every large multi until the queue is empty',
    from: `redis.call('ZREMRANGEBYSCORE', turns, '-inf', '(' .. now)
`,
    to: '',
    tests: ['integration/queue.turns'],
  },
  {
    file: 'worker/publish.ts',
    what: 'a large multi has more pairs than a job may have',
    from: `  if (totals(parts).pairs > config.limits.jobPairs) throw errors.tooManyPairs(config.limits.jobPairs)
`,
    to: '',
    tests: ['unit/worker/publish'],
  },
  {
    file: 'worker/publish.ts',
    what: 'a slice is built again after the commit has begun, so two runs commit different parts',
    from: `    if (job.state === 'committing') throw errors.storeAway(new Error('the result of a slice is gone'))
`,
    to: '',
    tests: ['unit/worker/publish'],
  },
  {
    file: 'worker/publish.ts',
    what: 'sub-requests of two slices publish a node under two identities',
    from: `    for (const observation of observed) observations.record(observation)
`,
    to: '',
    tests: ['e2e/multi.slices'],
  },
  {
    file: 'worker/progress.ts',
    what: 'a large multi is built to its end although it has too many pairs',
    from: 'return reply > config.limits.jobPairs ? errors.tooManyPairs(config.limits.jobPairs) : null',
    to: 'return null',
    tests: ['unit/worker/progress'],
  },
  {
    file: 'worker/build-slice.ts',
    what: 'slices of one packet have different timestamps',
    from: 'acceptedAt: Date.parse(job.createdAt)',
    to: 'acceptedAt: Date.now()',
    tests: ['e2e/multi.slices'],
  },
  {
    file: 'shared/jobs/run-scripts.ts',
    what: 'a run of a selection whose slices are built stops the others, and resets their progress',
    from: "(not has('added') and subRequests()",
    to: '(subRequests()',
    tests: ['integration/job-record.open-runs'],
  },
  {
    file: 'shared/jobs/run-scripts.ts',
    what: 'the runs of the slices of a selection count each time that they are queued',
    from: "if redis.call('HSETNX', record, 'added', runs) == 0 then return 0 end",
    to: "redis.call('HSETNX', record, 'added', runs)",
    tests: ['integration/job-record.open-runs'],
  },
  {
    file: 'shared/jobs/stored/stored-selection.ts',
    what: 'a run whose list does not count uses it nevertheless',
    from: "outcome === 'created' ? selection : await",
    to: 'outcome !== undefined ? selection : await',
    tests: ['unit/jobs/stored-selection'],
  },
  {
    file: 'shared/publish/select/list-selections.ts',
    what: 'a selection may have one node more than maxNodes',
    from: 'if (total === limit.nodes) refusal',
    to: 'if (total > limit.nodes) refusal',
    tests: ['integration/packet.selected'],
  },
]
