import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../shared/config/config.ts'
import type { Overrides } from '../../../shared/config/overrides.ts'
import { key, least, problemsOf } from '../least-environment.ts'

test('unset variables have their defaults', () => {
  expect(readConfig('api', least)).toEqual({
    api: {
      host: '127.0.0.1',
      port: 8080,
      publishWaitSeconds: 55,
      dryRunSeconds: 20,
      stopGraceSeconds: 25,
      console: null,
    },
    worker: {
      healthHost: '127.0.0.1',
      healthPort: 8081,
      concurrency: 2,
      stopGraceSeconds: 25,
      janitorSeconds: 60,
      livenessSeconds: 60,
      lockSeconds: 10,
      stalledSeconds: 5,
      retrySeconds: 5,
    },
    metrics: null,
    failpoint: null,
    testOverrides: null,
    redis: { url: 'redis://127.0.0.1:6379', sentinel: null },
    storage: {
      endpoint: 'http://127.0.0.1:9000',
      publicEndpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      bucket: 'publish',
      accessKey: 'access',
      secretKey: 'shared-secret',
      timeoutSeconds: 20,
      plainFiles: true,
    },
    manager: null,
    auth: { tokensFile: 'tokens.json', jwt: null },
    secretKeys: [{ id: 'k1', key: key(1) }],
    maskKeys: [],
    origin: { allow: null, port: 7687, dnsServers: null, silenceSeconds: 300, stallSeconds: 900 },
    authorities: [],
    callbacks: null,
    limits: {
      jobPairs: 50_000_000,
      jobSeconds: 14_400,
      nodesPerSlice: 10_000,
      retentionDays: null,
      inlineBytes: 16 * 1024 * 1024,
      returnOnlyPairs: 50_000,
      returnOnlyAtOnce: 32,
      eventStreams: 2_000,
      bodyBytes: 256 * 1024 * 1024,
      queuedJobs: 10_000,
      requestsPerMinute: 3_000,
    },
    logLevel: 'info',
  })
})

const served = { dashboardUrl: null }

test('set variables override the defaults', () => {
  const config = readConfig('api', {
    ...least,
    API_HOST: '0.0.0.0',
    API_PORT: '0',
    WORKER_HEALTH_PORT: '65535',
    METRICS_PORT: '9090',
    WORKER_CONCURRENCY: '8',
    REDIS_URL: 'rediss://redis.example:6380/1',
    S3_PUBLIC_ENDPOINT: 'https://files.example',
    S3_REGION: 'eu-1',
    S3_BUCKET: 'packets',
    MANAGER_DB_URL: 'neo4j+s://models.example',
    MANAGER_DB_USER: 'models',
    MANAGER_DB_PASSWORD: 'models-password',
    ORIGIN_ALLOW: 'db.example:7688',
    PUBLISH_WAIT_SECONDS: '0',
    CONSOLE: 'on',
    JOB_MAX_PAIRS: '10',
    JOB_MAX_SECONDS: '20',
    PACKET_RETENTION_DAYS: '0.5',
    PLAIN_FILES: 'off',
    INLINE_LIMIT_BYTES: '30',
    ORIGIN_DNS_SERVERS: '10.0.0.2,[fd00::2]:5353',
    CALLBACK_ALLOW: 'hooks.example:8443',
    CALLBACK_SECRETS: `c1:${key(2).toString('base64')}`,
    MAX_QUEUED_JOBS: '50',
    RATE_LIMIT_PER_MINUTE: '60',
    STOP_GRACE_SECONDS: '5',
    WORKER_LOCK_SECONDS: '3',
    AUTH_JWKS_URL: 'https://id.example/keys',
    AUTH_ISSUER: 'https://id.example',
    AUTH_AUDIENCE: 'packets',
    LOG_LEVEL: 'debug',
    TEST_OVERRIDES: JSON.stringify({
      livenessSeconds: 7,
      janitorSeconds: 6,
      stalledSeconds: 1,
      retrySeconds: 1,
      jwksCooldownSeconds: 8,
      jwksStaleSeconds: 9,
      originStallSeconds: 43,
      storeTimeoutSeconds: 7,
      dryRunSeconds: 5,
      returnOnlyPairs: 40,
      returnOnlyAtOnce: 41,
      eventStreams: 43,
      bodyBytes: 42,
      failpoint: 'partStored:stop:3',
    } satisfies Overrides),
  })
  expect(config).toMatchObject({
    api: { host: '0.0.0.0', port: 0, publishWaitSeconds: 0, dryRunSeconds: 5, stopGraceSeconds: 5, console: served },
    worker: {
      healthHost: '0.0.0.0',
      healthPort: 65_535,
      concurrency: 8,
      stopGraceSeconds: 5,
      janitorSeconds: 6,
      livenessSeconds: 7,
      lockSeconds: 3,
      stalledSeconds: 1,
      retrySeconds: 1,
    },
    metrics: { host: '0.0.0.0', port: 9_090 },
    failpoint: { name: 'partStored', how: 'stop', count: 3 },
    auth: {
      tokensFile: 'tokens.json',
      jwt: {
        jwksUrl: 'https://id.example/keys',
        issuer: 'https://id.example',
        audience: 'packets',
        cooldownSeconds: 8,
        staleSeconds: 9,
      },
    },
    redis: { url: 'rediss://redis.example:6380/1' },
    storage: {
      publicEndpoint: 'https://files.example',
      region: 'eu-1',
      bucket: 'packets',
      timeoutSeconds: 7,
      plainFiles: false,
    },
    manager: { url: 'neo4j+s://models.example', user: 'models', password: 'models-password' },
    origin: {
      allow: [{ kind: 'host', host: 'db.example', port: 7688 }],
      port: 7687,
      dnsServers: ['10.0.0.2', '[fd00::2]:5353'],
      silenceSeconds: 300,
      stallSeconds: 43,
    },
    callbacks: {
      allow: [{ kind: 'host', host: 'hooks.example', port: 8443 }],
      port: 443,
      dnsServers: ['10.0.0.2', '[fd00::2]:5353'],
      secrets: [{ id: 'c1', key: key(2) }],
    },
    limits: {
      jobPairs: 10,
      jobSeconds: 20,
      retentionDays: 0.5,
      inlineBytes: 30,
      returnOnlyPairs: 40,
      returnOnlyAtOnce: 41,
      eventStreams: 43,
      bodyBytes: 42,
      queuedJobs: 50,
      requestsPerMinute: 60,
    },
    logLevel: 'debug',
  })
})

test.each([
  ['3', 1.5],
  ['10', 5],
  ['60', 5],
])('with WORKER_LOCK_SECONDS %s, workers look for expired locks every %d seconds', (lockSeconds, expected) => {
  const { worker } = readConfig('worker', { ...least, WORKER_LOCK_SECONDS: lockSeconds })
  expect(worker.stalledSeconds).toBe(expected)
})

describe('an empty variable', () => {
  test('an empty variable counts as unset, and has its default', () => {
    const empty = { API_PORT: '', ORIGIN_ALLOW: '', S3_PUBLIC_ENDPOINT: '', LOG_LEVEL: '' }
    expect(readConfig('api', { ...least, ...empty })).toEqual(readConfig('api', least))
  })

  test('an empty variable counts as missing if it is required', () => {
    expect(problemsOf({ ...least, S3_SECRET_KEY: '', AUTH_TOKENS: '' })).toEqual([
      'S3_SECRET_KEY: required',
      'AUTH_TOKENS or AUTH_JWKS_URL: one is required',
    ])
  })
})
