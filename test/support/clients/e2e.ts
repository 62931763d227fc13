import { afterAll, inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { drawRing } from '../graphs/social-graph.ts'

/** Common setup of an end-to-end test: a client, an origin with its own label, an org of its own. */
export async function prepare(
  people: number,
  { apiUrl, tokens }: { apiUrl: string; tokens: Record<string, string> } = inject('service'),
) {
  const { neo4j } = inject('stack')
  const client = createClient(apiUrl, tokens.all as string)
  const driver = openDriver(neo4j)
  afterAll(() => driver.close())
  const label = uniqueName('Person')
  const org = uniqueName('org')
  const ids = await drawRing(driver, label, people)
  await client.post(`/1.0/publish/${org}`)
  const fields = { ...database(neo4j, label, 'id'), metadata: true, relationships: ['KNOWS'] }
  return { client, driver, label, org, ids, fields, neo4j }
}
