import { afterAll, inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import type { Alphabet } from '../generator/alphabet.ts'
import { wipeOrigin } from './databases.ts'
import type { World } from './run-case.ts'

interface Choice {
  names: Alphabet
  apiUrl: string
  token: string
  origin: Neo4jAddress
  copy: Neo4jAddress
  parameterSyntax: 'dollar' | 'braces'
}

/** What the cases of one test file share: drivers, a client and an org. Origin data is removed at the end. */
export async function openWorld({ names, apiUrl, token, origin, copy, parameterSyntax }: Choice): Promise<World> {
  const [from, to] = [openDriver(origin), openDriver(copy)]
  const client = createClient(apiUrl, token)
  const org = uniqueName('generated')
  await client.post(`/1.0/publish/${org}`)
  afterAll(async () => {
    await wipeOrigin(from, names)
    await Promise.all([from.close(), to.close()])
  })
  return { names, client, origin, elsewhere: inject('largeIds'), org, parameterSyntax, from, to }
}
