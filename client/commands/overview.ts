import { Command } from 'commander'
import type { Overview } from '../../wire/overview.ts'
import { type Context, printResult } from '../context.ts'
import { number, plural, size } from '../format.ts'
import { type CommonOptions, openService } from '../options.ts'

/** `packets overview`: the state of the service, for operators. */
export function overview(context: Context): Command {
  return new Command('overview')
    .description('say how the queue, the workers and the dependencies are')
    .action(async (options: CommonOptions) => {
      const client = await openService(context, options)
      const found = await client.overview(context.signal)
      printResult(context, options.json, found, linesOf(found))
    })
}

function linesOf({ dependencies, queue, workers, redis, lastSweep }: Overview): string[] {
  const up = Object.entries(dependencies).map(([name, state]) => `${name}: ${state}`)
  if (queue === null || workers === null || redis === null) return [...up, 'queue: unknown, as Redis does not answer']
  const { paused } = queue
  const limit = redis.memoryLimitBytes > 0 ? ` of ${size(redis.memoryLimitBytes)}` : ''
  return [
    ...up,
    `queue: ${number.format(queue.waiting)} waiting, ${number.format(queue.running)} running, ${number.format(queue.delayed)} delayed, ${number.format(queue.waitingForSlices)} waiting for slices`,
    ...(paused === null
      ? []
      : [`paused: since ${paused.since ?? 'an unknown time'}, by ${paused.by ?? 'nobody known'}`]),
    `open runs: ${number.format(queue.openRuns)} of ${number.format(queue.openRunsLimit)}`,
    `oldest wait: ${Math.round(queue.oldestWaitSeconds)} s`,
    `callbacks due: ${number.format(queue.callbacksDue)}`,
    `workers: ${plural(workers.count, 'worker')}, ${number.format(workers.busy)} of ${plural(workers.slots, 'slot')} busy`,
    `redis memory: ${size(redis.memoryBytes)}${limit}`,
    `last sweep: ${lastSweep ?? 'not within a day'}`,
  ]
}
