import type { Mutant } from '../mutant.ts'

export const jobScripts: readonly Mutant[] = [
  {
    file: 'shared/jobs/scripts.ts',
    what: 'the list of an org forgets jobs after 43 minutes',
    from: 'math.min(now, createdAt) - ${listedSeconds} * 1000',
    to: 'createdAt - ${listedSeconds}',
    tests: ['integration/job-record.lists'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'plain files stay as they were when a worker dies after the commit',
    from: `redis.call('ZADD', '\${stalePlainFilesKey}', now, name)
`,
    to: '',
    tests: ['integration/plain-files.of-a-commit'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job fails although a run has begun to commit just before',
    from: "if unlessBegun ~= '' and has('begun') then return 0 end",
    to: '',
    tests: ['integration/job-record.finish'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job is cancelled while its slices are being built',
    from: 'and (unended(record) > 0 or unended(slices) > 0)',
    to: 'and unended(record) > 0',
    tests: ['integration/job-record.cancel'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'a job that has begun to commit is cancelled',
    from: "if state == 'running' and has('begun') then return 'committing' end",
    to: '',
    tests: ['integration/job-record.cancel'],
  },
  {
    file: 'shared/jobs/scripts.ts',
    what: 'the failure of a job to be queued fails the job after a worker has started it',
    from: `if not \${accepts('withdraw')} then return state end
`,
    to: `if not state then return nil end
`,
    tests: ['integration/job-record.open-runs'],
  },
]
