import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'

const { org, label, ids, driver, publish, replay, packets, to, differing } = await prepareReplay(200)
const state = () => ['--state', join(emptyDirectory(), 'state.json')]

test('the pairs that only a new packet of the service has bring a target with the old one up to date', async () => {
  const directory = emptyDirectory()
  const [old, rest] = [join(directory, 'old'), join(directory, 'rest')]
  await publish('people.json')
  await packets(['get', `${org}/people.json`, '-o', old])
  expect(await replay(old, '--create-constraints', ...state())).toMatchObject({ code: 0 })
  expect(await packets(['diff', old, `${org}/people.json`])).toMatchObject({ code: 0, stderr: '' })

  await run(driver, `MATCH (n:\`${label}\` {id: $id}) SET n.name = 'renamed'`, { id: ids[0] })
  await run(driver, `MATCH (:\`${label}\` {id: $id})-[r:KNOWS]->() DELETE r`, { id: ids[0] })
  await publish('people.json')
  const compared = await packets(['diff', old, `${org}/people.json`, '--out', rest, '--json'])
  expect(compared).toMatchObject({ code: 3, stderr: '' })
  const found = JSON.parse(compared.stdout)
  const kinds = { nodeUpsert: 1, cleanup: expect.any(Number) }
  expect(found.onlyNew.statements).toEqual(kinds)
  expect(found.onlyNew.pairs).toBeLessThan(10)

  const inspected = JSON.parse((await packets(['inspect', rest, '--json'])).stdout)
  const { sha256 } = JSON.parse((await packets(['inspect', old, '--json'])).stdout)
  expect(inspected).toMatchObject({ base: sha256, pairs: found.onlyNew.pairs, statements: kinds })
  expect(inspected.requires.constraints).toMatchObject([{ label, property: 'id' }])

  expect(await differing()).not.toEqual([])
  const reliance = `${rest} is a delta: it holds only what differs from the packet with the digest ${sha256}, which the`
  const stderr = expect.stringContaining(`${reliance} target must have; this is not checked\n`)
  expect(await packets(['replay', rest, ...to, '--dry-run'])).toMatchObject({ code: 3, stderr })
  expect(await packets(['replay', rest, ...to, ...state()])).toMatchObject({ code: 0, stderr })
  expect(await differing()).toEqual([])
  // At a target with half of the old packet, all that the delta holds still agrees.
  await run(driver, `MATCH (n:\`${label}\`) WHERE n.id IN $half DETACH DELETE n`, { half: ids.slice(100) })
  for (const command of ['replay', 'verify']) {
    const { stdout, ...said } = await packets([command, rest, ...to, '--json'])
    expect(said).toMatchObject({ code: 0, stderr })
    expect(JSON.parse(stdout)).toMatchObject({ base: sha256 })
  }
})

test('diff treats packets in the two parameter syntaxes as the same', async () => {
  await publish('people.json')
  await publish('braces.json', ids, { parameterSyntax: 'braces' })
  const current = join(emptyDirectory(), 'people')
  await packets(['get', `${org}/people.json`, '-o', current])
  const { code, stderr } = await packets(['diff', current, `${org}/braces.json`])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
