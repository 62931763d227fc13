import type { Mutant } from '../mutant.ts'

export const jobScripts: readonly Mutant[] = [
  {
    file: 'shared/jobs/scripts.ts',
    what: 'the list of an org forgets jobs after 43 minutes',
    from: 'ARGV[4] - ARGV[7] * 1000',
    to: 'ARGV[4] - ARGV[7]',
    tests: ['integration/job-record.lists'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'plain files stay as they were when a worker dies after the commit',
    from: `redis.call('ZADD', KEYS[2], now, ARGV[5])
`,
    to: '',
    tests: ['integration/plain-files.of-a-commit'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job fails although a run has begun to commit just before',
    from: "if ARGV[5] == 'unlessBegun' and redis.call('HEXISTS', KEYS[1], 'begun') == 1 then return 0 end",
    to: '',
    tests: ['integration/job-record.finish'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job is cancelled while its slices are being built',
    from: 'and (unended(KEYS[1]) > 0 or unended(KEYS[4]) > 0) then',
    to: 'and unended(KEYS[1]) > 0 then',
    tests: ['integration/job-record.cancel'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job that has begun to commit is cancelled',
    from: "if state == 'running' and redis.call('HEXISTS', KEYS[1], 'begun') == 1 then return 'committing' end",
    to: '',
    tests: ['integration/job-record.cancel'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'the failure of a job to be queued fails the job after a worker has started it',
    from: `if state ~= 'queued' then return state or '' end
`,
    to: `if not state then return '' end
`,
    tests: ['integration/job-record.open-runs'],
  },
]
