import { Command, Option } from 'commander'
import { listedStates } from '../../wire/job-states.ts'
import { type Context, printResult, warn } from '../context.ts'
import { jobLine } from '../format.ts'
import { type CommonOptions, openService, wholeNumber } from '../options.ts'

interface Options extends CommonOptions {
  limit: number
  state?: string
}

/** `packets jobs`: the latest publishes. */
export function jobs(context: Context): Command {
  return new Command('jobs')
    .description('list jobs, newest first')
    .argument('[org]', 'only jobs of this org and its sub-directories')
    .addOption(new Option('--state <state>', 'only jobs in this state; open: unfinished').choices(listedStates))
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1e15), 100)
    .action(async (org: string | undefined, options: Options) => {
      const client = await openService(context, options)
      const of = { orgName: org, state: options.state }
      const { jobs: found, hasMore } = await client.jobs(of, options.limit, context.signal)
      printResult(context, options.json, { jobs: found, hasMore }, found.map(jobLine))
      if (hasMore) warn(context, 'there are more jobs: raise --limit')
    })
}
