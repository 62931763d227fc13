import type { Mutant } from '../mutant.ts'

export const worker: readonly Mutant[] = [
  {
    file: 'worker/finish-job.ts',
    what: 'a job that found its name taken leaves an earlier run of it free to commit',
    from: ' && latest.attempt === 1 &&',
    to: ' &&',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/finish-job.ts',
    what: 'a job fails although one of its runs has begun to commit and may yet succeed',
    from: ' && !(await voidJob(generations, latest))',
    to: ' && false',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/run-job.ts',
    what: 'a job that fails while it commits is given up, although its packet may be there',
    from: "if (latest?.state === 'committing' && failure.retryable) return delayJob(context, delivery)",
    to: '',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/run-job.ts',
    what: 'a job fails for good because Redis was away for a moment',
    from: 'if (isRedisAway(thrown) || thrown instanceof NewerVersionError) throw thrown',
    to: '',
    tests: ['unit/worker/run-job'],
  },
  {
    file: 'worker/commit-packet.ts',
    what: 'a job that waited for days commits below generations that were made and swept meanwhile',
    from: 'Date.now() - Date.parse(createdAt) < dayMs',
    to: 'true',
    tests: ['unit/worker/commit-packet'],
  },
  {
    file: 'worker/commit-packet.ts',
    what: 'the parts of a packet are removed because the answer to its commit was lost',
    from: 'error instanceof AppError && error.status === 409',
    to: 'error instanceof AppError',
    tests: ['unit/worker/commit-packet'],
  },
  {
    file: 'worker/janitor.ts',
    what: 'a janitor that lost its lock prolongs and releases that of another',
    from: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end",
    to: '',
    tests: ['integration/janitor.lock-and-grace'],
  },
  {
    file: 'worker/janitor.ts',
    what: 'a job is queued twice, by its submitter and at once by the janitor',
    from: '(await redisNow(redis)) - gracePeriodMs',
    to: 'redisNow(redis)',
    tests: ['integration/janitor.lock-and-grace'],
  },
]
