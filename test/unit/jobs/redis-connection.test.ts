import { afterAll, expect, test } from 'vitest'
import { parseRedisAddress } from '../../../shared/config/redis-address.ts'
import { connectPatient } from '../../../shared/redis/connect.ts'

const quiet = { warn() {} }
const opened: { disconnect(): void }[] = []
afterAll(() => {
  for (const redis of opened) redis.disconnect()
})

/** The options of a connection that is not opened. */
function optionsOf(url: string) {
  const redis = connectPatient(parseRedisAddress(url), quiet)
  opened.push(redis)
  return redis.options
}

test('a Sentinel URL gives passwords to both roles, and notices a failover', () => {
  expect(optionsOf('redis+sentinel://app:one@a,b:1/group/3?sentinelUsername=watch&sentinelPassword=two')).toMatchObject(
    {
      name: 'group',
      db: 3,
      username: 'app',
      password: 'one',
      sentinelUsername: 'watch',
      sentinelPassword: 'two',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 1 },
      ],
      failoverDetector: true,
      enableTLSForSentinelMode: false,
    },
  )
})

test('with rediss+sentinel Redis and the Sentinels use TLS', () => {
  expect(optionsOf('rediss+sentinel://a/group')).toMatchObject({
    tls: {},
    sentinelTLS: {},
    enableTLSForSentinelMode: true,
  })
})
