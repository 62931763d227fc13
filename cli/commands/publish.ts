import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { usageError } from '../exit.ts'
import { followJob, requireSucceeded } from '../follow-job.ts'
import { jobText } from '../format.ts'
import {
  type OutputOptions,
  openService,
  type ProgressOptions,
  progressOption,
  type ServiceOptions,
  withJson,
  withService,
} from '../options.ts'
import { type RequestOptions, readRequests, withRequest } from '../publish-request.ts'

interface Options extends ServiceOptions, OutputOptions, ProgressOptions, RequestOptions {
  wait: boolean
}

/** `packets publish`: publishes a request, or many ids of one, as a packet. */
export function publish(context: Context): Command {
  const command = new Command('publish').description('publish a request as a packet, and follow the job to its end')
  withRequest(command)
    .option('--no-wait', 'print the id of the job, and do not follow it')
    .addOption(progressOption(context))
  return withService(withJson(command)).action(async (file: string, options: Options) => {
    if (options.progress && !options.wait) throw usageError('--progress: there is none with --no-wait')
    const requests = await readRequests(context, file, options)
    const client = await openService(context, options)
    const id = await client.publish(requests, randomUUID(), options.force === true, context.signal)
    if (!options.wait) return printResult(context, options.json, { id }, id)
    const job = await followJob(context, client, id, options.progress)
    requireSucceeded(job)
    printResult(context, options.json, job, jobText(job))
  })
}
