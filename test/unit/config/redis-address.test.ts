import { expect, test } from 'vitest'
import { parseRedisAddress } from '../../../shared/config/redis-address.ts'

const none = { username: null, password: null, sentinelUsername: null, sentinelPassword: null }

test('a Sentinel URL needs a host and the name of the group', () => {
  expect(parseRedisAddress('redis+sentinel://one/mymaster').sentinel).toEqual({
    sentinels: [{ host: 'one', port: 26_379 }],
    name: 'mymaster',
    database: 0,
    hasTls: false,
    ...none,
  })
})

test('a Sentinel URL may name several hosts, a database, TLS, and users and passwords of both roles', () => {
  const url =
    'rediss+sentinel://app:p%40ss,1@one:26380,[::1],10.0.0.3:1/my%20master/7?sentinelUsername=watch&sentinelPassword=s%26ecret'
  expect(parseRedisAddress(url)).toEqual({
    url,
    sentinel: {
      sentinels: [
        { host: 'one', port: 26_380 },
        { host: '::1', port: 26_379 },
        { host: '10.0.0.3', port: 1 },
      ],
      name: 'my master',
      database: 7,
      hasTls: true,
      username: 'app',
      password: 'p@ss,1',
      sentinelUsername: 'watch',
      sentinelPassword: 's&ecret',
    },
  })
  expect(parseRedisAddress('redis+sentinel://:secret@one/m').sentinel).toMatchObject({
    username: null,
    password: 'secret',
  })
})

test('a plus stays a plus, in the password of Redis and of the Sentinels', () => {
  const url = 'redis+sentinel://:a+b@one/m?sentinelPassword=a+b/c='
  expect(parseRedisAddress(url).sentinel).toMatchObject({ password: 'a+b', sentinelPassword: 'a+b/c=' })
})

test.each([
  ['redis://one?maxRetriesPerRequest=5', 'must have no query'],
  ['redis://one:6379/7?keyPrefix=pass-canary', 'must have no query'],
  ['rediss://:secret@one?db=3', 'must have no query'],
  ['redis://one?', 'must have no query'],
  ['redis+sentinel://one/m/7?maxRetriesPerRequest=5', 'may have the parameters'],
  ['rediss+sentinel://one/m?tls=true', 'may have the parameters'],
  ['redis+sentinel://one', 'must have the form'],
  ['redis+sentinel://one/', 'must have the form'],
  ['redis+sentinel://one/m/x', 'must have the form'],
  ['redis+sentinel://one/m#pass-canary', 'must have the form'],
  ['redis+sentinel://one,,two/m', 'each of its hosts'],
  ['redis+sentinel://one:0/m', 'each of its hosts'],
  ['redis+sentinel://one:65536/m', 'each of its hosts'],
  ['redis+sentinel://::1/m', 'each of its hosts'],
  ['redis+sentinel://one/m?password=pass-canary', 'may have the parameters'],
  ['redis+sentinel://one/m?sentinelPassword=a&sentinelPassword=pass-canary', 'each once'],
  ['redis+sentinel://one/m?sentinelPassword=pass-canary%zz', 'validly percent-encoded'],
  ['redis+sentinel://one, two/m', 'must have the form'],
  ['redis+sentinel://:%zzpass-canary@one/m', 'validly percent-encoded'],
  [
    'redis-sentinel://one/m',
    'must be a URL starting with redis://, rediss://, redis+sentinel:// or rediss+sentinel://',
  ],
])('%s is refused by a message that holds nothing of it', (url, message) => {
  expect(() => parseRedisAddress(url)).toThrow(message)
  expect(() => parseRedisAddress(url)).not.toThrow('canary')
})
