import { isIP } from 'node:net'
import { z } from 'zod'
import { readAuthorities } from './authorities.ts'
import { parseConsole } from './console.ts'
import { parseLifeDays } from './life-days.ts'
import { parseCallbackAllow, parseOriginAllow, parseSecretKeys, parseServers } from './lists.ts'
import { parseRedisAddress } from './redis-address.ts'

const text = z.string().refine((value) => value.trim() !== '', { message: 'must not be blank', abort: true })
const trimmed = text.refine((value) => value === value.trim(), {
  message: 'must not begin or end with whitespace',
  abort: true,
})
const hostName = /^[a-z0-9]([a-z0-9_.-]*[a-z0-9])?\.?$/i
const isHost = (value: string) => isIP(value) !== 0 || (hostName.test(value) && !/(^|\.)\d+$/.test(value))

function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`
  return z
    .string()
    .refine(
      (value) => /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number${bounds}`,
    )
    .transform(Number)
}

/** A value that `parse` converts. For an invalid value `parse` throws an Error that names the rule. */
export const parsedBy = <T>(parse: (value: string) => T) =>
  text.transform((value, context) => {
    try {
      return parse(value)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })
const port = wholeNumber(0, 65_535)
const count = wholeNumber(1)
// A timer of more than 2^31 milliseconds fires at once.
const seconds = wholeNumber(1, 2_000_000)

/** Checks a URL without quoting it. An error of its client would quote the whole URL, which may contain a password. */
const url = (...protocols: string[]) =>
  text.refine((value) => /^[^/]+:\/\/[^/]/.test(value) && protocols.includes(URL.parse(value)?.protocol ?? ''), {
    message: `must be a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    abort: true,
  })
const urlWithoutCredentials = (...protocols: string[]) =>
  url(...protocols).refine((value) => new URL(value).username === '' && new URL(value).password === '', {
    message: 'must not hold credentials',
    abort: true,
  })
/** For URLs whose client uses only scheme, host and port. */
const address = (...protocols: string[]) =>
  urlWithoutCredentials(...protocols).refine((value) => {
    const { pathname, search, hash } = new URL(value)
    return ['', '/'].includes(pathname) && search + hash === ''
  }, 'must not have a path, a query or a fragment')
const reachable = (...protocols: string[]) =>
  address(...protocols).refine((value) => new URL(value).port !== '0', 'must not have the port 0')
/** The client of the store refuses every other host when it is made. */
const storeAddress = reachable('http:', 'https:').refine(
  (value) => isHost(new URL(value).hostname),
  'its host must be a name or an IPv4 address',
)
/** The rule of S3, which the client of the store checks with its first request. */
const isBucketName = (value: string) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) && !/\.\.|\d\.\d+\.\d+\.\d/.test(value)
const bucketRule =
  'must be 3 to 63 lower-case letters, digits, hyphens and dots, with a letter or digit at both ends and no two dots side by side, and no IP address'
function isEncryptedOrLocal(value: string): boolean {
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}

/** Every environment variable the two programs read, with its parser and default. Sizes are bytes, times seconds. */
export const environment = z.object({
  API_HOST: trimmed
    .refine(isHost, 'must be a host name or an IP address')
    .default('127.0.0.1')
    .describe('address both programs listen on'),
  API_PORT: port.default(8080).describe('port of the API; 0 picks a free one'),
  WORKER_HEALTH_PORT: port.default(8081).describe('/livez, /readyz and /metrics of a worker; 0 picks a free one'),
  METRICS_PORT: port
    .optional()
    .describe('separate port for the /metrics of a program; 0 picks a free one; absent: no separate port'),
  STOP_GRACE_SECONDS: seconds.default(25).describe('how long a program that receives SIGTERM finishes its work'),
  WORKER_LOCK_SECONDS: seconds
    .default(10)
    .describe('how long a frozen worker keeps a job; a worker renews each lock before half of this time has passed'),
  WORKER_CONCURRENCY: count.default(2).describe('jobs at a time in one worker'),
  REDIS_URL: parsedBy(parseRedisAddress).describe('queue and job records: redis:// or redis+sentinel://, or with TLS'),
  S3_ENDPOINT: storeAddress.describe('the object store'),
  S3_PUBLIC_ENDPOINT: storeAddress.optional().describe('its address in presigned URLs, if that differs'),
  S3_REGION: trimmed
    .refine((value) => /^[\w.-]+$/.test(value), 'must have only letters, digits, hyphens, dots and underscores')
    .default('us-east-1')
    .describe('its region'),
  S3_BUCKET: trimmed
    .refine(isBucketName, bucketRule)
    .default('publish')
    .describe('the bucket of all packets; created if missing'),
  S3_ACCESS_KEY: trimmed
    .refine((value) => /^[!-~]+$/.test(value), 'must have only printable ASCII characters, and no spaces')
    .describe('its access key'),
  S3_SECRET_KEY: trimmed.describe('its secret key'),
  MANAGER_DB_URL: reachable('bolt:', 'bolt+s:', 'neo4j:', 'neo4j+s:')
    .optional()
    .describe('database of the manager models'),
  MANAGER_DB_USER: text.optional().describe('its user'),
  MANAGER_DB_PASSWORD: z.string().optional().describe('its password'),
  AUTH_TOKENS: text.optional().describe('path of a JSON file [{name, sha256, orgs, scopes}]'),
  AUTH_JWKS_URL: urlWithoutCredentials('https:', 'http:')
    .refine(isEncryptedOrLocal, 'must be https unless it is on this machine')
    .optional()
    .describe('keys of JWT access tokens'),
  AUTH_ISSUER: trimmed.optional().describe('issuer of JWT access tokens'),
  AUTH_AUDIENCE: trimmed.optional().describe('audience of JWT access tokens'),
  SECRET_KEYS: parsedBy(parseSecretKeys).describe('kid:base64key[,kid:base64key], 32-byte keys; the first encrypts'),
  MASK_KEYS: parsedBy(parseSecretKeys)
    .optional()
    .describe('kid:base64key[,kid:base64key], 32-byte keys; the first hashes masked values; absent: no hashes'),
  ORIGIN_ALLOW: parsedBy(parseOriginAllow)
    .refine((rules) => rules.length > 0, 'must name at least one host, *.suffix or CIDR')
    .optional()
    .describe('hosts, *.suffixes and CIDRs, each with an optional :port (7687); absent: public addresses on port 7687'),
  ORIGIN_DNS_SERVERS: parsedBy(parseServers)
    .optional()
    .describe("name servers for the hosts of origins and callbacks, each with an optional :port; absent: the system's"),
  CA_FILE: parsedBy(readAuthorities)
    .optional()
    .describe('path of a PEM file with authorities that every TLS connection trusts in addition to the public ones'),
  ORIGIN_SILENCE_SECONDS: seconds.default(300).describe('how long an origin may send nothing while it is read'),
  CALLBACK_ALLOW: parsedBy(parseCallbackAllow)
    .optional()
    .describe('where jobs may call back, like ORIGIN_ALLOW with port 443; *: public addresses; absent: nowhere'),
  CALLBACK_SECRETS: parsedBy(parseSecretKeys)
    .optional()
    .describe('kid:base64key[,kid:base64key], 32-byte keys; each signs every callback'),
  PUBLISH_WAIT_SECONDS: wholeNumber(0, 55).default(55).describe('how long a POST waits for its job'),
  JOB_MAX_PAIRS: count.default(50_000_000).describe('pairs a job may make'),
  JOB_MAX_SECONDS: seconds.default(14_400).describe('how long runs of a job may take; waiting is not counted'),
  PACKET_RETENTION_DAYS: parsedBy(parseLifeDays)
    .optional()
    .describe('days that packets live, and the most that a publish may give; absent: for ever'),
  PLAIN_FILES: z.enum(['on', 'off']).default('on').describe('keep a plain-file view of the packets in the bucket'),
  CONSOLE: parsedBy(parseConsole)
    .optional()
    .describe('on: serve the console at /console; an https URL: likewise, with a link to this dashboard; off'),
  INLINE_LIMIT_BYTES: count.default(16 * 1024 * 1024).describe('packets up to this size are inlined in answers'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0).default(3_000).describe('requests a minute of one token; 0: no limit'),
  MAX_QUEUED_JOBS: count
    .default(10_000)
    .describe('most runs of unfinished jobs, slices of multis included; then publishes get 503'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('log level'),
})

export type Environment = z.infer<typeof environment>
