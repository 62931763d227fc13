import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { until } from '../../support/faults/processes.ts'
import { nodeUpsert, replayed, sourceOf } from '../../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const driver = openDriver(target)
const label = uniqueName('Waiting')
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await driver.close()
})

test('an interrupted replay does not wait for a transaction that does not end', async () => {
  await run(driver, `CREATE (:\`${label}\` {id: 'p3'})`)
  const session = driver.session()
  const locking = session.beginTransaction()
  await locking.run(`MATCH (n:\`${label}\`) SET n.locked = true`)
  const interrupted = new AbortController()
  const blocked = 'SHOW TRANSACTIONS YIELD currentQuery, status WHERE currentQuery CONTAINS $label RETURN status'
  const meetsTheLock = async () =>
    (await run(driver, blocked, { label })).some(([status]) => /^Blocked/.test(`${status}`))
  const people = Array.from({ length: 6 }, (_, index) => nodeUpsert(label, `p${index}`))
  const onProgress = ({ rows }: { rows: number }) => {
    if (rows === 2) until('the next batch meets the lock', meetsTheLock).then(() => interrupted.abort())
  }
  const options = { lanes: 1, batchRows: 2, withoutConstraints: true, onProgress, signal: interrupted.signal }
  try {
    const started = performance.now()
    await expect(replayed(sourceOf(people), target, options)).rejects.toMatchObject({ kind: 'interrupted' })
    const seconds = (performance.now() - started) / 1_000
    expect(seconds).toBeGreaterThan(9)
    // One that waited would not end: the lock is released after it.
    expect(seconds).toBeLessThan(40)
  } finally {
    await locking.rollback()
    await session.close()
  }
})
