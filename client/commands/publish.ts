import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import type { DryRun } from '../../wire/dry-run.ts'
import { type Context, printable, printLines, printResult } from '../context.ts'
import { different, usageError } from '../exit.ts'
import { jobLines } from '../format.ts'
import { type CommonOptions, openService, type ProgressOptions, progressOption } from '../options.ts'
import { dryRunLines } from '../request/dry-run-lines.ts'
import { type RequestOptions, readRequests, staying, withRequest } from '../request/publish-request.ts'
import { followJob, requireSucceeded } from '../service/follow-job.ts'

interface Options extends CommonOptions, ProgressOptions, RequestOptions {
  wait: boolean
  dryRun?: true
}

/** `packets publish`: publishes a request, or many ids of one, as a packet. */
export function publish(context: Context): Command {
  const command = new Command('publish').description('publish a request as a packet, and follow the job to its end')
  withRequest(command)
    .option('--no-wait', 'print the id of the job, and do not follow it')
    .option('--dry-run', 'store nothing; say what the publish would make')
    .addOption(progressOption(context))
  return command.action(async (file: string | undefined, options: Options) => {
    if (options.progress && !options.wait) throw usageError('--progress cannot be combined with --no-wait')
    if (options.dryRun && !options.wait) throw usageError('--no-wait: --dry-run makes no job')
    if (options.dryRun && options.progress) throw usageError('--progress cannot be combined with --dry-run')
    const requests = await readRequests(context, file, options)
    const client = await openService(context, options)
    if (options.dryRun) {
      const text = await client.dryRun(requests, options.force === true, context.signal)
      const { dryRun } = JSON.parse(text) as { dryRun: DryRun }
      if (options.json) context.stdout.write(`${printable(text)}\n`)
      else printLines(context.stdout, dryRunLines(dryRun))
      if (dryRun.unpublishable.count > 0) throw different()
      return
    }
    const id = await client.publish(requests, randomUUID(), options.force === true, context.signal)
    if (!options.wait) return printResult(context, options.json, { id }, [id])
    const job = await followJob(context, client, id, options.progress)
    requireSucceeded(job)
    printResult(context, options.json, job, [...jobLines(job), ...staying(requests)])
  })
}
