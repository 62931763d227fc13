import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { expect, inject, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { startOf } from '../../../dev/service.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { redisWith } from '../../support/servers/redis-with.ts'

const root = join(import.meta.dirname, '../../..')

/** The URL of a Redis with this password; `given` is the password in the URL. */
async function lockedRedis(password: string, given: string): Promise<string> {
  const url = await redisWith({ requirepass: password })
  return url.replace('://', `://:${given}@`)
}

/** Runs a program with the service's settings until it exits. @returns its exit code and output. */
async function outputOf(program: 'api' | 'worker', env: Record<string, string>) {
  const { args, variables } = startOf(program)
  const all = { PATH: process.env.PATH, ...variables, ...inject('service').env, LOG_LEVEL: 'trace', ...env }
  const child = spawn(process.execPath, args, { cwd: root, env: all })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await exited, output: out + err }
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
