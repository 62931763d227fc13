import type { Driver } from 'neo4j-driver'
import { afterAll, inject } from 'vitest'
import { sendPackedRows } from '../../../client/replay/run/sending.ts'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { alphabetOf } from '../generator/alphabet.ts'
import { namedDatabase } from '../generator/variants.ts'
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
  const { apiUrl, tokens, env } = inject('service')
  const stack = inject('stack')
  const servers = {
    origin: stack.neo4j,
    elsewhere: inject('largeIds'),
    target: stack[targets[parameterSyntax]] as Neo4jAddress,
  }
  // Replays and comparisons block for long: a connection that is kept until after them may end as it is used again.
  const client = createClient(apiUrl, tokens.all as string, { Connection: 'close' })
  return openWorldOf({ ...servers, client, env }, suite, firstNumber, parameterSyntax)
}

interface Servers extends Pick<World, 'origin' | 'elsewhere' | 'client'> {
  target: Neo4jAddress
  /** The settings of the client's service. */
  env: Record<string, string>
}

/** The same, on other servers. */
export async function openWorldOf(
  { origin, elsewhere, target, client, env }: Servers,
  suite: string,
  firstNumber: bigint,
  parameterSyntax: keyof typeof targets = 'dollar',
): Promise<World> {
  const names = alphabetOf(suite, firstNumber)
  const [from, to] = [openDriver(origin), openDriver(target)]
  sendPackedRows(to)
  const org = uniqueName('generated')
  await client.post(`/1.0/publish/${org}`)
  afterAll(async () => {
    await wipeOrigin(from, names)
    await Promise.all([from.close(), to.close()])
  })
  const { origin: originPolicy } = readConfig('worker', env)
  const namesDatabases = await isThere(from, namedDatabase)
  return { namesDatabases, names, client, originPolicy, origin, elsewhere, org, parameterSyntax, from, to }
}

/** False also of a server that speaks Bolt 3 or earlier, in which no database can be named. */
async function isThere(driver: Driver, database: string): Promise<boolean> {
  const session = driver.session({ database })
  try {
    await session.run('RETURN 1')
    return true
  } catch {
    return false
  } finally {
    await session.close()
  }
}
