import type { Mutant } from '../mutant.ts'

export const jobs: readonly Mutant[] = [
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a run that another one has overtaken begins to commit',
    from: "if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end",
    to: '',
    tests: ['integration/job-record.attempts'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job commits after its cancellation was accepted',
    from: "if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return 0 end",
    to: '',
    tests: ['integration/job-record.cancel'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job that kills its workers is run again and again',
    from: "if tonumber(redis.call('HGET', KEYS[1], 'unended') or 0) >= tonumber(ARGV[2]) then return -2 end",
    to: '',
    tests: ['integration/job-record.attempts'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job with forceOverwrite takes the name from the job that holds it when it ends',
    from: "if redis.call('GET', claim) == ARGV[1] then redis.call('DEL', claim) end",
    to: "redis.call('DEL', claim)",
    tests: ['integration/job-record.claims'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a request that is sent again with its Idempotency-Key makes a second job',
    from: "if known then return 'duplicate ' .. known end",
    to: '',
    tests: ['integration/submission.undone'],
  },
  {
    file: 'shared/jobs/idempotency.ts',
    what: 'a client gets the job of another client that chose the same Idempotency-Key',
    from: 'JSON.stringify([client, key])',
    to: 'JSON.stringify([key])',
    tests: ['unit/jobs/idempotency'],
  },
  {
    file: 'shared/jobs/secrets.ts',
    what: 'waiting jobs lose their credentials when the key is rotated',
    from: 'keys.find((candidate) => candidate.id === id)',
    to: 'keys[0]',
    tests: ['unit/jobs/secrets'],
  },
  {
    file: 'shared/jobs/fair-queueing.ts',
    what: 'a job waits behind all jobs that another org has submitted before',
    from: 'math.max(now, last + 1)',
    to: 'now',
    tests: ['integration/queue.turns'],
  },
  {
    file: 'shared/jobs/queue-lock.ts',
    what: 'a run goes on although the queue has given its job to another worker',
    from: "if redis.call('HGET', KEYS[2], 'ats') ~= ARGV[3] then return 0 end",
    to: '',
    tests: ['integration/queue-lock.reclaimed'],
  },
  {
    file: 'shared/jobs/slice-results.ts',
    what: 'a run of a slice that lost believes that its parts are in the packet',
    from: 'return written.run === result.run',
    to: 'return true',
    tests: ['integration/slice-results.count-once'],
  },
]
