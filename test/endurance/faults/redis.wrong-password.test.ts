import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { outputOf } from '../../support/programs/output-of.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { redisWith } from '../../support/servers/redis-with.ts'

/** The URL of a Redis with this password; `given` is the password in the URL. */
async function lockedRedis(password: string, given: string): Promise<string> {
  const url = await redisWith({ requirepass: password })
  return url.replace('://', `://:${given}@`)
}

test.each(['api', 'worker'] as const)('%s reports a wrong Redis password without revealing it', async (program) => {
  const wrong = uniqueName('canary-')
  const { code, output } = await outputOf(program, { REDIS_URL: await lockedRedis('right', wrong) })
  expect(code).toBe(1)
  expect(output).toMatch(/WRONGPASS|NOAUTH/)
  expect(output).not.toContain(wrong)
})

test('the doctor reports a wrong Redis password without revealing it', async () => {
  const wrong = uniqueName('canary-')
  const { code, output } = await runDoctor({ REDIS_URL: await lockedRedis('right', wrong) })
  expect(code).toBe(1)
  expect(output).toContain('refuses the user or the password in REDIS_URL')
  expect(output).not.toContain(wrong)
})

test('programs log a password change at run time without revealing the password', async () => {
  const right = uniqueName('canary-')
  const url = await lockedRedis(right, right)
  const { service } = await ownService({
    workers: 1,
    env: { REDIS_URL: url, LOG_LEVEL: 'trace', STOP_GRACE_SECONDS: '1' },
  })
  const redis = new Redis(url)
  await redis.config('SET', 'requirepass', 'another')
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
  redis.disconnect()
  const programs = [service.api, ...service.workers]
  const said = () => programs.map((program) => /WRONGPASS|NOAUTH/.test(program.log()))
  await expect.poll(said, { timeout: 30_000 }).toEqual(programs.map(() => true))
  await service.stop()
  expect(programs.map((program) => program.log().includes(right))).toEqual(programs.map(() => false))
})
