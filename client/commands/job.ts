import { Command, Option } from 'commander'
import { type Context, printResult } from '../context.ts'
import { usageError } from '../exit.ts'
import { jobLines } from '../format.ts'
import { type CommonOptions, openService, type ProgressOptions, progressOption } from '../options.ts'
import { followJob, requireSucceeded } from '../service/follow-job.ts'

interface Options extends CommonOptions, ProgressOptions {
  follow?: true
  cancel?: true
}

/** `packets job`: shows a job, follows it to its end, or cancels it. */
export function job(context: Context): Command {
  return new Command('job')
    .description('show a job, follow it to its end, or cancel it')
    .argument('<id>', 'id of the job')
    .option('--follow', 'wait until it has finished')
    .addOption(new Option('--cancel', 'cancel it').conflicts('follow'))
    .addOption(progressOption(context))
    .action(async (id: string, options: Options) => {
      if (options.progress && !options.follow) throw usageError('--progress is for --follow only')
      const client = await openService(context, options)
      const seen = options.follow
        ? await followJob(context, client, id, options.progress)
        : options.cancel
          ? await client.cancel(id, context.signal)
          : await client.job(id, 0, context.signal)
      if (options.follow) requireSucceeded(seen)
      printResult(context, options.json, seen, jobLines(seen))
    })
}
