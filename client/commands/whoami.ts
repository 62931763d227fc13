import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { type CommonOptions, openService } from '../options.ts'

/** `packets whoami`: what the token allows. */
export function whoami(context: Context): Command {
  return new Command('whoami').description('say what the token allows').action(async (options: CommonOptions) => {
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
