import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { type CommonOptions, openService } from '../options.ts'

/** `packets create`: makes an org, in which packets have their names. */
export function create(context: Context): Command {
  return new Command('create')
    .description('create an org, unless it exists')
    .argument('<org>', 'name of the org')
    .action(async (org: string, options: CommonOptions) => {
      const client = await openService(context, options)
      await client.createOrg(org, context.signal)
      printResult(context, options.json, { orgName: org }, [`${org} is ready for packets`])
    })
}
