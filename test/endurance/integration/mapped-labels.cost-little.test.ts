import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { median } from '../../bench/numbers.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { service } = await ownService({ workers: 1 })
const { client, driver, label, org, ids, fields } = await prepare(400, service)

const [others, meetings] = [999, 20]

/** Labels and id properties that the origin knows, each of one node. */
const mapped = Object.fromEntries(Array.from({ length: others }, (_, at) => [`${label}Type${at}`, `mappedKey${at}`]))
for (const [other, key] of Object.entries(mapped)) await run(driver, `CREATE (:${other} {${key}: 1})`)

/** Each person also meets those after the next one, in a ring. */
await run(
  driver,
  `UNWIND range(0, ${ids.length - 1}) AS i UNWIND range(1, ${meetings}) AS step
   MATCH (a:${label} {id: $ids[i]}) MATCH (b:${label} {id: $ids[(i + step) % ${ids.length}]})
   CREATE (a)-[:MET {at: step}]->(b)`,
  { ids },
)

test('a publish with a thousand mapped labels takes at most twice as long as one with a single label', async () => {
  const publish = async (mappedIndices: object) => {
    const body = {
      ...fields,
      mappedIndices,
      originIds: ids,
      relationships: ['MET'],
      orgName: org,
      fileName: uniqueName('packet'),
    }
    const started = performance.now()
    const { status, headers } = await client.post('/1.0/publish/', body, { Prefer: 'return=minimal' })
    const ms = performance.now() - started
    expect(status).toBe(200)
    const { progress } = (await client.get<{ progress: { pairs: number } }>(headers.get('Location') as string)).body
    expect(progress.pairs).toBe(ids.length * (2 + meetings))
    return ms
  }
  const one = fields.mappedIndices
  const many = { ...one, ...mapped }
  // The first publishes also compile queries and warm the programs.
  for (const mappedIndices of [one, many]) await publish(mappedIndices)
  const times = { one: [] as number[], many: [] as number[] }
  // In turns, so that both see the same load.
  for (let turn = 0; turn < 3; turn++) {
    times.one.push(await publish(one))
    times.many.push(await publish(many))
  }
  const [few, all] = [median(times.one), median(times.many)]
  console.log(
    `${ids.length * meetings} relationships: ${few.toFixed(0)} ms with one mapped label, ${all.toFixed(0)} ms with 1,000`,
  )
  // Half a second for a busy machine.
  expect(all).toBeLessThan(2 * few + 500)
}, 300_000)
