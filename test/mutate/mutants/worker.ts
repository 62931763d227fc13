import type { Mutant } from '../mutant.ts'

export const worker: readonly Mutant[] = [
  {
    file: 'worker/finish-job.ts',
    what: 'a job fails although one of its runs has stored parts and may yet commit them',
    from: 'if (!(await voidStoredParts(context, latest))) continue',
    to: '',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/settle-run.ts',
    what: 'a job that fails while it commits is given up, although its packet may be there',
    from: "if (latest?.state === 'committing' && failure.retryable) return delayJob(context, delivery)",
    to: '',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/settle-run.ts',
    what: 'a job fails for good because Redis was away for a moment',
    from: 'if (isRedisAway(thrown) || thrown instanceof NewerVersionError) throw thrown',
    to: '',
    tests: ['unit/worker/run-job'],
  },
  {
    file: 'worker/commit-packet.ts',
    what: 'a job that waited for days commits below generations that were made and swept meanwhile',
    from: 'Math.abs(Date.now() - Date.parse(createdAt)) < dayMs',
    to: 'true',
    tests: ['unit/worker/commit-packet'],
  },
  {
    file: 'shared/storage/generations.ts',
    what: 'the parts of a packet are removed because the answer to its commit was lost',
    from: "error instanceof AppError && error.code !== 'storeAway' && !isDamage(error)",
    to: 'error instanceof AppError',
    tests: ['unit/worker/commit-packet'],
  },
  {
    file: 'worker/janitor.ts',
    what: 'a janitor that lost its lock prolongs and releases that of another',
    from: "if redis.call('GET', key) ~= owner then return 0 end",
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
  {
    file: 'worker/finish-job.ts',
    what: 'parts of a file of others stay when a packet is forced over it',
    from: 'generation === 1 && !job.order.force)',
    to: 'generation === 1)',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/finish-job.ts',
    what: 'a run that Redis has forgotten commits after its job was cancelled',
    from: '  await voidStoredParts(context, job)',
    to: '',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'api/jobs/cancel-job.ts',
    what: 'a run that Redis has forgotten commits after its job, which seemed to wait, was cancelled',
    from: "held !== 'held' || (await voidStoredParts(context, job).catch(() => true))",
    to: 'true',
    tests: ['integration/cancel.answers-at-once'],
  },
  {
    file: 'api/jobs/cancel-job.ts',
    what: 'a job that a worker starts while it is cancelled fails',
    from: 'await context.records.hold(job.id)',
    to: "('held' as string)",
    tests: ['integration/cancel.answers-at-once'],
  },
  {
    file: 'worker/finish-job.ts',
    what: 'a job ends as cancelled although its packet is there',
    from: `  if (await finishCommitted(context, job)) return
  const isFirst`,
    to: '  const isFirst',
    tests: ['integration/job.failures-beside-a-commit'],
  },
  {
    file: 'worker/commit-packet.ts',
    what: 'a run that was frozen for days commits',
    from: 'isFree, until, taken }',
    to: 'isFree, taken }',
    tests: ['unit/worker/commit-packet'],
  },
  {
    file: 'worker/janitor.ts',
    what: 'the parts of a job that takes hours are removed while it runs',
    from: 'config.limits.jobSeconds * 1_000 + dayMs',
    to: 'config.limits.jobSeconds + dayMs',
    tests: ['integration/janitor.duties'],
  },
  {
    file: 'worker/janitor.ts',
    what: 'the parts of a job are removed because its record cannot be read',
    from: 'return isUnfinished ?? true',
    to: 'return isUnfinished ?? false',
    tests: ['integration/janitor.duties'],
  },
  {
    file: 'worker/progress.ts',
    what: 'a run never learns that it was cancelled after Redis was away once',
    from: `      if (reason !== null) stopped.abort(reason)
    } catch (error) {
      log.warn({ err: error }, 'progress not written')
    } finally {
      isReporting = false
    }`,
    to: `      if (reason !== null) stopped.abort(reason)
      isReporting = false
    } catch (error) {
      log.warn({ err: error }, 'progress not written')
    }`,
    tests: ['unit/worker/progress'],
  },
  {
    file: 'shared/jobs/stored/results.ts',
    what: 'the parts of a packet are removed because its job was cancelled',
    from: 'return (await generations.ofJob(name, id, above)) === null',
    to: 'return true',
    tests: ['integration/slice-results.count-once'],
  },
  {
    file: 'shared/lifecycle/start-memory.ts',
    what: 'a program under load stops for a collection of its memory',
    from: 'utilization < 0.1',
    to: 'utilization < 2',
    tests: ['unit/lifecycle/start-memory'],
  },
]
