import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { emptyDirectory, spawnCli } from '../../support/clients/cli.ts'
import { prepareReplay } from '../../support/clients/cli-target.ts'
import { forward, startFakeService } from '../../support/servers/fake-service.ts'

const { org, label, target, clearTarget, publish, to, variables, differing, count } = await prepareReplay(20)
await publish('people.json')
await run(target, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)

test('a replay that is interrupted is exit code 130, and the same command continues', async () => {
  let isStuck = true
  const stuck = Promise.withResolvers<void>()
  const proxy = await startFakeService(async (asked) => {
    if (isStuck) await stuck.promise
    return forward(variables.PACKETS_URL, asked)
  })
  const cwd = emptyDirectory()
  const words = ['replay', `${org}/people.json`, ...to]
  const env = { ...variables, PACKETS_URL: proxy.url }
  const interrupted = await spawnCli(words, env, {
    cwd,
    async during(child) {
      await once(child, 'spawn')
      while (proxy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill('SIGTERM')
    },
  })
  expect(interrupted).toMatchObject({ code: 130, stdout: '' })
  expect(interrupted.stderr).toMatch(/^interrupted/)
  expect(await count()).toBe(0)
  isStuck = false
  stuck.resolve()
  expect(await spawnCli(words, env, { cwd })).toMatchObject({ code: 0 })
  expect(await differing()).toEqual([])
})

test('a second signal ends the client at once, whatever it is doing', async () => {
  const proxy = await startFakeService(() => new Promise(() => {}))
  const { code } = await spawnCli(
    ['replay', `${org}/people.json`, ...to],
    { ...variables, PACKETS_URL: proxy.url },
    {
      async during(child) {
        await once(child, 'spawn')
        while (proxy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
        child.kill('SIGINT')
        child.kill('SIGTERM')
      },
    },
  )
  expect(code).toBe(130)
})

// Larger than what is in memory at once, so that the first part is done before the second is checked.
const padding = 'x'.repeat(17 * 1024 * 1024)
const upsert = (id: string, mail: string) => ({
  statement: `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`mail\`: $mail}`,
  parameters: { id, mail },
  metadata: mail === 'first' ? { padding } : null,
})

/** Two parts, the second of which the target refuses until `makeWay`. */
async function replayTwoParts() {
  await clearTarget()
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.mail IS UNIQUE`)
  await run(target, `CREATE (:\`${label}\` {id: 'in the way', mail: 'second'})`)
  const cwd = emptyDirectory()
  mkdirSync(join(cwd, 'parts'))
  for (const [index, pair] of [upsert('a', 'first'), upsert('b', 'second')].entries()) {
    writeFileSync(join(cwd, 'parts', `p.jsonPart${index + 1}of2`), JSON.stringify({ statements: [pair] }))
  }
  const replay = (...words: string[]) => spawnCli(['replay', 'parts', ...to, '--json', ...words], variables, { cwd })
  const makeWay = () => run(target, `MATCH (n:\`${label}\` {id: 'in the way'}) DELETE n`)
  return { cwd, replay, makeWay }
}

test('the parts done are recorded in a file without secrets, and are not replayed again', async () => {
  const { cwd, replay, makeWay } = await replayTwoParts()
  const failed = await replay()
  expect(failed).toMatchObject({ code: 6, stderr: expect.stringMatching(/^error: part 2, pair 1 \(node upsert/) })
  const [name] = readdirSync(join(cwd, '.packets'))
  const file = join(cwd, '.packets', name as string)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const remembered = readFileSync(file, 'utf8')
  expect(JSON.parse(remembered)).toMatchObject({ done: [1] })
  for (const secret of [variables.PACKETS_TARGET_PASSWORD, variables.PACKETS_TOKEN])
    expect(remembered).not.toContain(secret)

  await makeWay()
  const { code, stdout } = await replay()
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    report: { partsDone: 2, partsSkipped: 1, rows: 1 },
  })
  expect(readdirSync(join(cwd, '.packets'))).toEqual([])
})

test('a replay begins again in a target that was emptied since it was interrupted', async () => {
  const { replay, makeWay } = await replayTwoParts()
  expect(await replay()).toMatchObject({ code: 6 })
  await makeWay()
  await clearTarget()
  const { code, stdout } = await replay()
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { partsSkipped: 0, rows: 2 } })
  expect(await count()).toBe(2)
})
