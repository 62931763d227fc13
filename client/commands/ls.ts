import { Command } from 'commander'
import { type Context, printResult, warn } from '../context.ts'
import { type CommonOptions, openService, wholeNumber } from '../options.ts'

interface Options extends CommonOptions {
  limit?: number
}

/** `packets ls`: the files of an org, or the orgs. */
export function ls(context: Context): Command {
  return new Command('ls')
    .description('list the files of an org, or the orgs')
    .argument('[org]', 'org, or a sub-directory of one; the orgs if absent')
    .argument('[prefix...]', 'only names that start with one of these')
    .option('--limit <n>', 'at most so many names', wholeNumber(1, 1e15))
    .action(async (org: string | undefined, prefixes: string[], options: Options) => {
      const client = await openService(context, options)
      const { limit = Number.POSITIVE_INFINITY } = options
      if (org === undefined) {
        const { orgs, hasMore } = await client.orgs(limit, context.signal)
        printResult(context, options.json, { orgs, hasMore }, orgs)
        if (hasMore) warn(context, 'there are more orgs: raise --limit')
        return
      }
      const { fileNames: files, hasMore } = await client.files(org, prefixes, limit, context.signal)
      printResult(context, options.json, { files, hasMore }, files)
      if (hasMore) warn(context, 'there are more files: raise --limit')
    })
}
