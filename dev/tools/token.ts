import { parseArgs } from 'node:util'
import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { newToken } from '../../shared/auth/new-token.ts'
import { scopes } from '../../wire/whoami.ts'

const options = z.object({
  name: z.string('--name is required').min(1, '--name is required'),
  org: z.array(z.literal('*').or(orgName), '--org is required; * is all orgs'),
  scope: z.array(z.enum(scopes, `--scope must be one of ${scopes.join(', ')}`), '--scope is required'),
})

const usage = 'usage: npm run token -- --name <name> --org <org> [--org …] --scope <scope> [--scope …]'

/** A message about a value does not name its option, so the option is prepended. */
const lineOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  message.startsWith('--') ? message : `--${String(path[0])}: ${message}`

/** Prints a new token, which is not stored, and its entry for the tokens file. */
function main(): void {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      org: { type: 'string', multiple: true },
      scope: { type: 'string', multiple: true },
    },
  })
  const { data, error } = options.safeParse(values)
  if (!data) throw new Error(error.issues.map(lineOf).join('\n'))
  const { token, entry } = newToken({ name: data.name, orgs: data.org, scopes: data.scope })
  console.log(`The token, shown only here:\n${token}\n\nIts entry in the file that AUTH_TOKENS names:`)
  console.log(JSON.stringify(entry))
}

try {
  main()
} catch (error) {
  console.error(`${(error as Error).message}\n${usage}`)
  process.exitCode = 1
}
