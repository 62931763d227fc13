import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, replayed, sourceOf } from '../support/replaying.ts'

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
  const people = Array.from({ length: 6 }, (_, index) => nodeUpsert(label, `p${index}`))
  const onProgress = ({ rows }: { rows: number }) => {
    // The next batch meets the lock.
    if (rows === 2) setTimeout(() => interrupted.abort(), 500)
  }
  const options = { lanes: 1, batchRows: 2, withoutConstraints: true, onProgress, signal: interrupted.signal }
  try {
    const started = performance.now()
    await expect(replayed(sourceOf(people), target, options)).rejects.toMatchObject({ kind: 'interrupted' })
    const seconds = (performance.now() - started) / 1_000
    expect(seconds).toBeGreaterThan(9)
    expect(seconds).toBeLessThan(20)
  } finally {
    await locking.rollback()
    await session.close()
  }
})
