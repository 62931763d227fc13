import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { type OutputOptions, openService, type ServiceOptions, withJson, withService } from '../options.ts'

interface Options extends ServiceOptions, OutputOptions {}

/** `packets whoami`: what the token allows. */
export function whoami(context: Context): Command {
  const command = new Command('whoami').description('say what the token allows')
  return withService(withJson(command)).action(async (options: Options) => {
    const client = await openService(context, options)
    const found = await client.whoami(context.signal)
    const { name, orgs, scopes, expiresAt } = found
    printResult(context, options.json, found, [
      name,
      `orgs: ${orgs.join(', ')}`,
      `scopes: ${scopes.join(', ')}`,
      `expires: ${expiresAt ?? 'never'}`,
    ])
  })
}
