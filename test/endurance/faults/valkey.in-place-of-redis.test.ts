import { expect, inject, test, vi } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { valkeyServer } from '../../support/servers/valkey.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

vi.setConfig({ testTimeout: 240_000 })

const program = valkeyServer()
if (program === null) console.warn('Valkey is not installed and cannot be: its tests are skipped')
const { neo4j } = inject('stack')

test.skipIf(program === null)(
  'with Valkey publishes survive killed workers, a frozen and a killed server',
  async () => {
    const valkey = await ownRedis(undefined, [], program as string)
    const world = await openWorld({ workers: 0, redis: valkey, answersMayFail: true })
    const { service, client } = world
    expect(await world.redis.info('server')).toMatch(/valkey_version:(?:[89]|\d\d)\./)
    const version = await drawVersion(world.origin, neo4j, 30)
    const alone = { WORKER_CONCURRENCY: '1' }
    const steps = ['partStored:kill:1', 'beforeManifest:kill']
    const dying = steps.map((failpoint) => service.startWorker({ ...overrides({ failpoint }), ...alone }))
    const workers = await Promise.all(dying)
    const jobs = await Promise.all(steps.map((_, at) => world.publish({ version, fileName: `killed-${at}` })))
    await Promise.all(workers.map(({ exited }) => exited))

    // A large multi has slices, which BullMQ keeps as children of its job.
    const another = `${world.org}-another`
    world.otherOrgs.add(another)
    await client.post(`/1.0/publish/${another}`)
    const large = Array.from({ length: 45 }, () => ({ ...version.requests[0], orgName: another, fileName: 'large' }))
    const { headers } = await client.post('/1.0/publish/multi', large, { Prefer: 'respond-async' })
    await service.startWorker()
    await service.startWorker()
    valkey.freeze()
    await new Promise((wake) => setTimeout(wake, 2_000))
    valkey.wake()
    await valkey.kill()
    await valkey.start('as it was')
    for (const { done } of jobs) expect((await done)?.state).toBe('succeeded')

    expect(await client.followJob(headers.get('Location') as string)).toMatchObject({ state: 'succeeded' })

    expect((await client.post('/1.0/ops/pause')).status).toBe(200)
    const paused = await world.publish({ version, fileName: 'paused' })
    expect((await client.post(`${paused.location}/cancel`)).status).toBe(200)
    expect((await client.post('/1.0/ops/resume')).status).toBe(200)
    expect((await paused.done)?.state).toBe('cancelled')
    await mustHold(world)
  },
)

test.skipIf(program === null)('the doctor accepts Valkey', async () => {
  const valkey = await ownRedis(undefined, ['--maxmemory', '100mb'], program as string)
  const { lines } = await runDoctor({ REDIS_URL: valkey.address.url })
  expect(lines.filter((line) => /^(warn|fail) .*redis/.test(line))).toEqual([])
})
