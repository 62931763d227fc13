import { ConfigError, readConfig } from '../shared/config/config.ts'
import { environment } from '../shared/config/env.ts'
import type { Neo4jAddress } from './stack/stack.ts'

export type Settings = Record<string, string>

interface Refusal {
  name: string
  isRefused(value: string, given: Settings): boolean
  reason: string
}

const onlyWith = (other: string, ...names: string[]): Refusal[] =>
  names.map((name) => ({ name, isRefused: (_, given) => given[other] === undefined, reason: `only with ${other}` }))

const free = 'npm start gives every program a free port; leave it out'

/** Settings that contradict what `npm start` itself decides. */
const refusals: Refusal[] = [
  { name: 'AUTH_TOKENS', isRefused: () => true, reason: 'npm start makes a token of its own; leave it out' },
  { name: 'WORKER_HEALTH_PORT', isRefused: (value) => Number(value) !== 0, reason: free },
  { name: 'METRICS_PORT', isRefused: (value) => Number(value) !== 0, reason: free },
  {
    name: 'LOG_LEVEL',
    isRefused: (value) => ['fatal', 'error', 'warn', 'silent'].includes(value),
    reason: 'npm start reads the logs; set info, debug or trace',
  },
  {
    name: 'STOP_GRACE_SECONDS',
    isRefused: (value) => Number(value) > 30,
    reason: 'npm start ends its programs after 40 seconds; set at most 30',
  },
  {
    name: 'REDIS_URL',
    isRefused: (value) => /^rediss?\+sentinel:/.test(value),
    reason: 'npm start takes no Sentinels; set redis:// or rediss://',
  },
  ...onlyWith('S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'),
  ...onlyWith('MANAGER_DB_URL', 'MANAGER_DB_USER', 'MANAGER_DB_PASSWORD'),
]

/** For the check of all other settings, in place of those that `npm start` sets. */
const standIns: Settings = {
  REDIS_URL: 'redis://127.0.0.1',
  S3_ENDPOINT: 'http://127.0.0.1',
  S3_ACCESS_KEY: 'any',
  S3_SECRET_KEY: 'any',
  AUTH_TOKENS: 'any',
  SECRET_KEYS: `any:${Buffer.alloc(32).toString('base64')}`,
}

/** The settings of the service that a person has set. @throws {ConfigError} naming each that `npm start` cannot honour */
export function settingsGiven(variables: Record<string, string | undefined> = process.env): Settings {
  const given = Object.fromEntries(
    Object.keys(environment.shape).flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  ) as Settings
  const refused = refusals.filter(({ name, isRefused }) => given[name] !== undefined && isRefused(given[name], given))
  const problems = [
    ...refused.map(({ name, reason }) => `${name}: ${reason}`),
    ...problemsOf('api', { ...standIns, ...given }),
    ...problemsOf('worker', { ...standIns, ...given }),
  ]
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return given
}

function problemsOf(program: 'api' | 'worker', settings: Settings): readonly string[] {
  try {
    readConfig(program, settings)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

/**
 * The settings of a service on this origin. The models go to the database that the person names for them, or else to the
 * origin, if it `mayWrite` there.
 */
export function settingsFor(given: Settings, origin: Neo4jAddress, mayWrite: boolean): Settings {
  const { MANAGER_DB_URL = '', MANAGER_DB_USER = '', MANAGER_DB_PASSWORD = '' } = given
  const keepsModelsAsSaid = MANAGER_DB_URL !== '' || !mayWrite
  return {
    CONSOLE: 'on',
    ...given,
    ORIGIN_ALLOW: [new URL(origin.boltUrl).host, ...(given.ORIGIN_ALLOW ? [given.ORIGIN_ALLOW] : [])].join(','),
    ...(keepsModelsAsSaid ? { MANAGER_DB_URL, MANAGER_DB_USER, MANAGER_DB_PASSWORD } : {}),
  }
}
