import { expect, test } from 'vitest'
import { least, problemsOf } from '../least-environment.ts'

const one = (name: string, value: string) => problemsOf({ ...least, [name]: value })

const bucketRule =
  'must be 3 to 63 lower-case letters, digits, hyphens and dots, with a letter or digit at both ends and no two dots side by side, and no IP address'

test.each([
  'n1',
  'a',
  'a'.repeat(64),
  'Packets',
  'my_packets',
  '-ab',
  'ab-',
  'ab.',
  'a..b',
  '10.0.0.1',
  'a/b',
  'bücket',
])('the bucket must not be %s', (name) => {
  expect(one('S3_BUCKET', name)).toEqual([`S3_BUCKET: ${bucketRule}`])
})

test.each(['n12', 'a'.repeat(63), 'my-packets.2026', '1st'])('the bucket may be %s', (name) => {
  expect(one('S3_BUCKET', name)).toEqual([])
})

test.each(['S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT'])('%s has a host that the client of the store accepts', (name) => {
  for (const host of ['[::1]', '-a', 'a_', '.a', 'a!b']) {
    expect(one(name, `http://${host}:9000`)).toEqual([`${name}: its host must be a name or an IPv4 address`])
  }
  for (const host of ['127.0.0.1', 'a_b', 's3.example', 'bücher.example'])
    expect(one(name, `http://${host}`)).toEqual([])
})

test.each(['S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT'])('%s must not have the port 0', (name) => {
  expect(one(name, 'http://s3.example:0')).toEqual([`${name}: must not have the port 0`])
})

test('the manager database must not have the port 0', () => {
  expect(one('MANAGER_DB_URL', 'bolt://db.example:0')).toEqual(['MANAGER_DB_URL: must not have the port 0'])
})

test.each(['us east', 'us/east', 'é'])('the region must not be %s', (region) => {
  expect(one('S3_REGION', region)).toEqual(['S3_REGION: must have only letters, digits, hyphens, dots and underscores'])
})

test.each(['a b', 'a\nb', 'clé'])('the access key must not be %j', (key) => {
  expect(one('S3_ACCESS_KEY', key)).toEqual(['S3_ACCESS_KEY: must have only printable ASCII characters, and no spaces'])
})

test.each(['[::1]', '300.1.1.1', 'http://a', 'a b', 'a:80'])('the programs must not listen on %s', (host) => {
  expect(one('API_HOST', host)).toEqual(['API_HOST: must be a host name or an IP address'])
})

test.each(['::', '::1', '0.0.0.0', 'localhost', 'api.example'])('the programs may listen on %s', (host) => {
  expect(one('API_HOST', host)).toEqual([])
})

test('problems of the store are reported together with all others', () => {
  expect(problemsOf({ ...least, S3_BUCKET: 'n1', API_PORT: 'x', REDIS_URL: 'redis://h?db=3' })).toEqual([
    'API_PORT: must be a whole number from 0 to 65535',
    'REDIS_URL: must have no query',
    `S3_BUCKET: ${bucketRule}`,
  ])
})
