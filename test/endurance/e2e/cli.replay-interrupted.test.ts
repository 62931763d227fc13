import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { emptyDirectory, type Ran, spawnCli } from '../../support/clients/cli.ts'
import { prepareReplay } from '../../support/clients/cli-target.ts'

const { label, target, clearTarget, to, variables, count } = await prepareReplay(1)
beforeEach(clearTarget)

// Larger than the limit, so that each part is a window of its own.
const padding = 'x'.repeat(9 * 1024 * 1024)
const upsert = (id: unknown, index: number) => ({
  statement: `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`,
  parameters: { id },
  metadata: index === 0 ? { padding } : null,
})

/** A packet of two parts, and a command that gets it into the target, one pair a transaction. */
function packetOf(...parts: unknown[][]) {
  const cwd = emptyDirectory()
  mkdirSync(join(cwd, 'parts'))
  for (const [index, ids] of parts.entries()) {
    const statements = ids.map(upsert)
    writeFileSync(join(cwd, 'parts', `p.jsonPart${index + 1}of${parts.length}`), JSON.stringify({ statements }))
  }
  const words = ['replay', 'parts', ...to, '--create-constraints', '--state', 'state.json', '--json']
  const limits = ['--lanes', '1', '--batch', '1']
  const doneParts = () => JSON.parse(readFileSync(join(cwd, 'state.json'), 'utf8')).done
  return {
    cwd,
    doneParts,
    replay: (...more: string[]) => spawnCli([...words, ...limits, ...more], variables, { cwd }),
    /** Stops the replay by a signal while it waits for a node that another transaction has locked. */
    interruptedAt: (id: string, ...more: string[]) => interruptedAt(id, [...words, ...limits, ...more], cwd),
  }
}

/** A module that reports when the signal arrives: the client reports it only after its transaction has ended. */
const tellsSignal = `data:text/javascript,${encodeURIComponent("process.on('SIGTERM', () => console.error('told'))")}`

async function interruptedAt(id: string, words: string[], cwd: string): Promise<Ran> {
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  const session = target.session()
  const lock = await session.beginTransaction()
  await lock.run(`CREATE (:\`${label}\` {id: $id})`, { id })
  const waiting = `SHOW TRANSACTIONS YIELD status, currentQuery
    WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS '${label}' RETURN count(*)`
  try {
    return await spawnCli(
      words,
      { ...variables, NODE_OPTIONS: `--import=${tellsSignal}` },
      {
        cwd,
        async during(child) {
          while (Number((await run(target, waiting))[0]?.[0]) === 0) await new Promise((next) => setTimeout(next, 50))
          const told = once(child.stderr as Readable, 'data')
          child.kill('SIGTERM')
          await told
          await lock.rollback()
        },
      },
    )
  } finally {
    await session.close()
  }
}

const told = { code: 130, stdout: '', stderr: expect.stringMatching(/^interrupted; the same command continues\n/m) }

test('a replay that is interrupted inside a window ends its transaction, and the same command continues', async () => {
  const { interruptedAt, doneParts, replay } = packetOf(['a1', 'a2'], ['b1', 'b2'])
  expect(await interruptedAt('b1')).toMatchObject(told)
  expect(doneParts()).toEqual([1])
  expect(await count()).toBe(3)
  const { code, stdout } = await replay()
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { partsSkipped: 1, rows: 2 } })
  expect(await count()).toBe(4)
})

test('an interrupted --restart is not mistaken for the replay that it restarted', async () => {
  const { interruptedAt, doneParts, replay } = packetOf(['a1', 'a2'], ['b1', 'b2'])
  expect(await interruptedAt('b1')).toMatchObject(told)
  expect(doneParts()).toEqual([1])
  await clearTarget()
  expect(await interruptedAt('a1', '--restart')).toMatchObject(told)
  expect(await count()).toBe(1)
  const { code, stdout } = await replay()
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { partsSkipped: 0, rows: 4 } })
  expect(await count()).toBe(4)
})

test('pairs that were collected before an interruption are counted by the same command: exit code 6', async () => {
  const { cwd, interruptedAt, doneParts, replay } = packetOf(['a1', { no: 'id' }], ['b1', 'b2'])
  const collecting = ['--on-error', 'collect', '--rejects', 'rejects.json']
  expect(await interruptedAt('b1', ...collecting)).toMatchObject(told)
  expect(doneParts()).toEqual([1])
  const rejects = readFileSync(join(cwd, 'rejects.json'), 'utf8')
  expect(JSON.parse(rejects).statements).toMatchObject([{ parameters: { id: { no: 'id' } } }])
  const { code, stdout, stderr } = await replay(...collecting)
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 6, report: { partsSkipped: 1, rejected: 1 } })
  const where = '1 of them in earlier runs; rejects.json was continued, and has 1 pair'
  expect(stderr).toContain(`error: the target refused 1 pair, ${where}; all others were replayed\n`)
  expect(readFileSync(join(cwd, 'rejects.json'), 'utf8')).toBe(rejects)
  expect(existsSync(join(cwd, 'state.json'))).toBe(false)
  expect(await count()).toBe(3)
})

test('pairs that were collected before an interruption are said to be elsewhere if --rejects names another file', async () => {
  const { interruptedAt, replay } = packetOf([{ no: 'id' }], ['b1', { no: 'id either' }])
  expect(await interruptedAt('b1', '--on-error', 'collect', '--rejects', 'first.json')).toMatchObject(told)
  const { code, stderr } = await replay('--on-error', 'collect', '--rejects', 'second.json')
  expect(code).toBe(6)
  const where = '1 of them in earlier runs, whose --rejects have them'
  expect(stderr).toContain(`error: the target refused 2 pairs, ${where}; all others were replayed\n`)
})
