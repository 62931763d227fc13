import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { breakingOrigin } from '../../support/faults/breaking-origin.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { mustBeNowhere, secretsOf, writtenDown } from '../../support/worlds/kept-secrets.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const { neo4j } = inject('stack')
const [username, password] = [uniqueName('user'), uniqueName('canary-')]
const driver = openDriver(neo4j)
await run(driver, `CREATE USER \`${username}\` SET PASSWORD '${password}' CHANGE NOT REQUIRED`)
afterAll(async () => {
  await run(driver, `DROP USER \`${username}\``)
  await driver.close()
})

const breaking = await breakingOrigin()
const stuck = await stuckOrigin()

test('a password is stored and logged nowhere, during and after jobs that succeed, fail, are retried or cancelled', {
  timeout: 300_000,
}, async () => {
  const redis = await ownRedis()
  const world = await openWorld({ workers: 2, redis, origins: [breaking.address, stuck.address, '127.0.0.1:1'] })
  const canary = Buffer.from(`${username}:${password}`).toString('base64')
  const secrets = [
    ...secretsOf(world),
    password,
    canary,
    encodeURIComponent(password),
    Buffer.from(password).toString('hex'),
  ]
  const version = await drawVersion(world.origin, neo4j, 230)
  const credentials = `Basic ${canary}`
  const publish = (fileName: string, change: object = {}) =>
    world.publish({ version, fileName, requests: version.requests.map((one) => ({ ...one, credentials, ...change })) })
  stuck.hold()
  const jobs = [
    await publish('sliced'),
    await publish('tried-again', { dbUrl: `bolt://${breaking.address}` }),
    await publish('unreachable', { dbUrl: 'bolt://127.0.0.1:1' }),
    await publish('refused', { credentials: `Basic ${Buffer.from(`nobody:${password}`).toString('base64')}` }),
  ]
  const cancelled = await publish('cancelled', { dbUrl: `bolt://${stuck.address}` })
  const direct = { ...version.requests[0], credentials, orgName: world.org }
  const answers = [
    await world.client.post('/1.0/publish/', { ...direct, returnOnly: true }),
    await world.client.post('/1.0/publish/', { ...direct, returnOnly: true, dbUrl: 'bolt://127.0.0.1:1' }),
    await world.client.post('/1.0/publish/', { ...direct, orgName: password, fileName: 'none' }),
    await world.client.post('/1.0/publish/', { ...direct, credentials: `Basic ${password}`, fileName: 'none' }),
    await world.client.post('/1.0/publish/', { ...direct, [`${password}x`]: 1 }),
    await world.client.get('/metrics'),
    await world.client.get('/openapi.json'),
  ]
  const during = await writtenDown(world)
  await cancelled.seen(({ state }) => state === 'running')
  await world.client.post(`${cancelled.location}/cancel`)
  stuck.letGo()
  const ends = await Promise.all([...jobs, cancelled].map(({ done }) => done))
  expect(ends.map((end) => end?.state)).toEqual(['succeeded', 'succeeded', 'failed', 'failed', 'cancelled'])
  for (const { location } of jobs)
    answers.push(await world.client.get(location), await world.client.get(`${location}/result`))
  // A name the client itself sent may be echoed to it, but must be in no other answer.
  const echoed = answers.splice(2, 3)
  expect(echoed.map(({ status }) => status)).toEqual([404, 400, 400])
  const told = answers.map(({ text }, index) => [`answer ${index}`, text.replaceAll('X-Amz-Signature', '')] as const)
  mustBeNowhere(secrets, [...during, ...told, ...(await writtenDown(world))])
  expect(world.appendOnlyFiles() === '' || world.appendOnlyFiles().includes('packets:')).toBe(true)
  expect(during.map(([, text]) => text.length > 100)).toEqual([true, true, world.appendOnlyFiles() !== '', true])
  await mustHold(world)
})
