import type { FailpointSetting } from './failpoint.ts'
import type { AllowRule, SecretKey } from './lists.ts'
import type { RedisAddress } from './redis-address.ts'

/** All settings, parsed and with their defaults, one interface per area. `env.ts` says what each one means. */
export interface Config {
  api: ApiSettings
  worker: WorkerSettings
  /** The separate address of `/metrics`; null: it has none. */
  metrics: { host: string; port: number } | null
  redis: RedisAddress
  storage: StoreSettings & {
    /** Whether the bucket also has plain files. */
    plainFiles: boolean
  }
  /** null: no manager database is configured. */
  manager: ManagerSettings | null
  auth: AuthSettings
  /** The first key encrypts, all keys decrypt. */
  secretKeys: SecretKey[]
  origin: OriginSettings
  /** Certificates, in PEM, of authorities to trust in addition to the public ones. */
  authorities: readonly string[]
  /** null: jobs do not call back. */
  callbacks: CallbackSettings | null
  limits: LimitSettings
  /** For tests of faults only. */
  failpoint: FailpointSetting | null
  /** The text of `TEST_OVERRIDES`; null: it is not set. */
  testOverrides: string | null
  logLevel: string
}

export interface ApiSettings {
  host: string
  port: number
  publishWaitSeconds: number
  dryRunSeconds: number
  stopGraceSeconds: number
  /** Whether the console is served. */
  console: boolean
}

export interface WorkerSettings {
  healthHost: string
  healthPort: number
  concurrency: number
  stopGraceSeconds: number
  janitorSeconds: number
  livenessSeconds: number
  /** How long a job stays with a worker that does not renew its lock. */
  lockSeconds: number
  /** How often workers look for jobs whose lock has expired. */
  stalledSeconds: number
  /** Delay of a job that awaits its store, Redis or a newer worker. */
  retrySeconds: number
}

export interface StoreSettings {
  endpoint: string
  publicEndpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
  /** Maximum inactivity of a request. */
  timeoutSeconds: number
}

export interface ManagerSettings {
  url: string
  /** Either both or neither of user and password are set. */
  user: string | undefined
  password: string | undefined
}

export interface AuthSettings {
  tokensFile: string | null
  jwt: { jwksUrl: string; issuer: string; audience: string; cooldownSeconds: number; staleSeconds: number } | null
}

export interface OriginSettings {
  /** null: public addresses only. */
  allow: readonly AllowRule[] | null
  /** The port of public addresses, and of a rule without a port. */
  port: number
  /** Name servers that resolve the hosts of origins; null: the system's. */
  dnsServers: readonly string[] | null
  /** How long an origin may send no byte. */
  silenceSeconds: number
  /** How long an origin may send neither a row nor the end of an answer; keep-alive bytes do not count. */
  stallSeconds: number
}

export interface CallbackSettings extends Pick<OriginSettings, 'port' | 'dnsServers'> {
  /** null: public addresses. */
  allow: readonly AllowRule[] | null
  /** Each secret signs every callback. */
  secrets: readonly SecretKey[]
}

export interface LimitSettings {
  jobPairs: number
  jobSeconds: number
  /** How long packets live, and the longest life that a publish may give its packet; null: for ever. */
  retentionDays: number | null
  inlineBytes: number
  returnOnlyPairs: number
  returnOnlyAtOnce: number
  eventStreams: number
  bodyBytes: number
  queuedJobs: number
  requestsPerMinute: number
}
