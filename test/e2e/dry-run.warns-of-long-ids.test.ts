import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { type DryRun, inTurn } from '../support/clients/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'

const { client, driver, neo4j } = await prepare(1)
const foresee = async (body: object) =>
  (await inTurn(() => client.post<{ dryRun: DryRun }>('/1.0/publish/?dryRun=true', body))).body.dryRun.warnings

test('a dry run warns of ids that the index of a target cannot hold', async () => {
  const one = uniqueName('Long')
  const of = (bytes: number) => 'é'.repeat(bytes / 2)
  const warningsOf = async (id: string) =>
    (await foresee({ ...database(neo4j, one, 'id'), originIds: [id], metadata: true })).slice(1)
  await run(driver, `UNWIND $ids AS id CREATE (:\`${one}\` {id: id})`, { ids: [4_036, 4_038, 8_164, 8_166].map(of) })
  const [which, legacy] = [`"id" of "${one}" has an id of`, 'target with Neo4j 3.5 holds at most 4036']
  expect(await warningsOf(of(4_036))).toEqual([])
  expect(await warningsOf(of(4_038))).toEqual([`${which} 4038 bytes; the constraint of a ${legacy}`])
  expect(await warningsOf(of(8_164))).toEqual([`${which} 8164 bytes; the constraint of a ${legacy}`])
  expect(await warningsOf(of(8_166))).toEqual([`${which} 8166 bytes; the constraint of a target holds at most 8164`])
})
