import { afterAll, inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { alphabetOf } from '../generator/alphabet.ts'
import { wipeOrigin } from './databases.ts'
import type { World } from './run-case.ts'

const targets = { dollar: 'target', braces: 'legacy' } as const

/**
 * What the cases of one test file share: drivers, a client and an org. Packets in braces are replayed into Neo4j 3.5.
 * Origin data is removed at the end.
 */
export async function openWorld(
  suite: string,
  firstNumber: bigint,
  parameterSyntax: keyof typeof targets = 'dollar',
): Promise<World> {
  const names = alphabetOf(suite, firstNumber)
  const { apiUrl, tokens } = inject('service')
  const stack = inject('stack')
  const origin = stack.neo4j as Neo4jAddress
  const [from, to] = [openDriver(origin), openDriver(stack[targets[parameterSyntax]] as Neo4jAddress)]
  const client = createClient(apiUrl, tokens.all as string)
  const org = uniqueName('generated')
  await client.post(`/1.0/publish/${org}`)
  afterAll(async () => {
    await wipeOrigin(from, names)
    await Promise.all([from.close(), to.close()])
  })
  const { origin: originPolicy } = readConfig('worker', inject('service').env)
  return { names, client, originPolicy, origin, elsewhere: inject('largeIds'), org, parameterSyntax, from, to }
}
