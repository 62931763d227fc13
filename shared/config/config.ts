import { type Environment, environment } from './env.ts'
import { fixedValues } from './overrides.ts'

/** All problems of an environment at once, one line each. Contract 11. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the environment is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

// Neo4j's default port for Bolt.
const originPort = 7687

/** The two programs; only the API needs authentication settings. */
export type Program = 'api' | 'worker'

/** What is wrong with the files that a program's settings name, a line each. */
export type CheckFiles = (given: Record<string, string | undefined>) => Iterable<string>

/** The only reader of `process.env`. @throws {ConfigError} */
export function readConfig(
  program: Program,
  variables: Record<string, string | undefined> = process.env,
  checkFiles: CheckFiles = () => [],
): Config {
  // Treat empty variables as unset: compose files and shells produce them.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(
        ({ path, message }) => `${path.join('.')}: ${given[String(path[0])] === undefined ? 'required' : message}`,
      )
  problems.push(...combinationProblems(program, given), ...overrideProblems(given), ...checkFiles(given))
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  return configOf(parsed.data, given.TEST_OVERRIDES)
}

function* overrideProblems({ TEST_OVERRIDES: text, NODE_ENV }: Record<string, string | undefined>): Generator<string> {
  if (text !== undefined && NODE_ENV === 'production') yield 'TEST_OVERRIDES: refused if NODE_ENV is production'
  try {
    fixedValues(text)
  } catch (error) {
    yield `TEST_OVERRIDES: ${(error as Error).message}`
  }
}

/** Rules between variables. They check the raw texts, so that one report lists their problems and invalid values. */
function* combinationProblems(program: Program, given: Record<string, string | undefined>): Generator<string> {
  if (program === 'api' && !given.AUTH_TOKENS && !given.AUTH_JWKS_URL)
    yield 'AUTH_TOKENS or AUTH_JWKS_URL: one is required'
  for (const name of ['AUTH_ISSUER', 'AUTH_AUDIENCE']) {
    if (given.AUTH_JWKS_URL && !given[name]) yield `${name}: required with AUTH_JWKS_URL`
    if (given[name] && !given.AUTH_JWKS_URL) yield `${name}: only with AUTH_JWKS_URL`
  }
  const ownPort = program === 'api' ? 'API_PORT' : 'WORKER_HEALTH_PORT'
  const portOf = (name: typeof ownPort | 'METRICS_PORT') => environment.shape[name].safeParse(given[name]).data
  if (portOf('METRICS_PORT') && portOf('METRICS_PORT') === portOf(ownPort))
    yield `METRICS_PORT: must differ from ${ownPort}`
  if (given.CALLBACK_ALLOW && !given.CALLBACK_SECRETS) yield 'CALLBACK_SECRETS: required with CALLBACK_ALLOW'
  const [user, password] = [given.MANAGER_DB_USER, given.MANAGER_DB_PASSWORD]
  if ((user === undefined) !== (password === undefined))
    yield 'MANAGER_DB_USER and MANAGER_DB_PASSWORD: both or neither'
}

/** All settings, parsed and with their defaults, by area. `env.ts` says what each one means. */
function configOf(env: Environment, testOverrides: string | undefined) {
  const fixed = fixedValues(testOverrides)
  return {
    api: {
      host: env.API_HOST,
      port: env.API_PORT,
      publishWaitSeconds: env.PUBLISH_WAIT_SECONDS,
      dryRunSeconds: fixed.dryRunSeconds,
      stopGraceSeconds: env.STOP_GRACE_SECONDS,
      // null: the console is not served.
      console: env.CONSOLE ?? null,
    },
    worker: {
      healthHost: env.API_HOST,
      healthPort: env.WORKER_HEALTH_PORT,
      concurrency: env.WORKER_CONCURRENCY,
      stopGraceSeconds: env.STOP_GRACE_SECONDS,
      janitorSeconds: fixed.janitorSeconds,
      livenessSeconds: fixed.livenessSeconds,
      // How long a job stays with a worker that does not renew its lock.
      lockSeconds: env.WORKER_LOCK_SECONDS,
      // How often workers look for jobs whose lock has expired.
      stalledSeconds: Math.min(fixed.stalledSeconds, env.WORKER_LOCK_SECONDS / 2),
      // Delay of a job that awaits its store, Redis or a newer worker.
      retrySeconds: fixed.retrySeconds,
    },
    // The separate address of `/metrics`; null: it has none.
    metrics: env.METRICS_PORT === undefined ? null : { host: env.API_HOST, port: env.METRICS_PORT },
    // For tests of faults only.
    failpoint: fixed.failpoint,
    testOverrides: testOverrides ?? null,
    redis: env.REDIS_URL,
    storage: {
      endpoint: env.S3_ENDPOINT,
      publicEndpoint: env.S3_PUBLIC_ENDPOINT ?? env.S3_ENDPOINT,
      region: env.S3_REGION,
      bucket: env.S3_BUCKET,
      accessKey: env.S3_ACCESS_KEY,
      secretKey: env.S3_SECRET_KEY,
      // Maximum inactivity of a request.
      timeoutSeconds: fixed.storeTimeoutSeconds,
      // Whether the bucket also has plain files.
      plainFiles: env.PLAIN_FILES === 'on',
    },
    // null: no manager database is configured.
    manager:
      env.MANAGER_DB_URL === undefined
        ? null
        : // Either both or neither of user and password are set.
          { url: env.MANAGER_DB_URL, user: env.MANAGER_DB_USER, password: env.MANAGER_DB_PASSWORD },
    auth: {
      tokensFile: env.AUTH_TOKENS ?? null,
      jwt:
        env.AUTH_JWKS_URL === undefined
          ? null
          : {
              jwksUrl: env.AUTH_JWKS_URL,
              issuer: env.AUTH_ISSUER ?? '',
              audience: env.AUTH_AUDIENCE ?? '',
              cooldownSeconds: fixed.jwksCooldownSeconds,
              staleSeconds: fixed.jwksStaleSeconds,
            },
    },
    // The first key encrypts, all keys decrypt.
    secretKeys: env.SECRET_KEYS,
    // The first hashes the masked values of new publishes, each those of the publishes that began with it.
    maskKeys: env.MASK_KEYS ?? [],
    origin: {
      // null: public addresses only.
      allow: env.ORIGIN_ALLOW ?? null,
      // The port of public addresses, and of a rule without a port.
      port: originPort,
      // Name servers that resolve the hosts of origins; null: the system's.
      dnsServers: env.ORIGIN_DNS_SERVERS ?? null,
      // How long an origin may send no byte.
      silenceSeconds: env.ORIGIN_SILENCE_SECONDS,
      // How long an origin may send neither a row nor the end of an answer; keep-alive bytes do not count.
      stallSeconds: fixed.originStallSeconds,
    },
    // Certificates, in PEM, of authorities to trust in addition to the public ones.
    authorities: env.CA_FILE ?? [],
    // null: jobs do not call back.
    callbacks:
      env.CALLBACK_ALLOW === undefined
        ? null
        : {
            // null: public addresses.
            allow: env.CALLBACK_ALLOW,
            port: 443,
            dnsServers: env.ORIGIN_DNS_SERVERS ?? null,
            // Each secret signs every callback.
            secrets: env.CALLBACK_SECRETS ?? [],
          },
    limits: {
      jobPairs: env.JOB_MAX_PAIRS,
      jobSeconds: env.JOB_MAX_SECONDS,
      // How long packets live, and the longest life that a publish may give its packet; null: for ever.
      retentionDays: env.PACKET_RETENTION_DAYS ?? null,
      inlineBytes: env.INLINE_LIMIT_BYTES,
      returnOnlyPairs: fixed.returnOnlyPairs,
      nodesPerSlice: fixed.nodesPerSlice,
      returnOnlyAtOnce: fixed.returnOnlyAtOnce,
      eventStreams: fixed.eventStreams,
      bodyBytes: fixed.bodyBytes,
      queuedJobs: env.MAX_QUEUED_JOBS,
      requestsPerMinute: env.RATE_LIMIT_PER_MINUTE,
    },
    logLevel: env.LOG_LEVEL,
  }
}

export type Config = ReturnType<typeof configOf>
export type WorkerSettings = Config['worker']
export type StoreSettings = Omit<Config['storage'], 'plainFiles'>
export type ManagerSettings = NonNullable<Config['manager']>
export type OriginSettings = Config['origin']
export type CallbackSettings = NonNullable<Config['callbacks']>
export type LimitSettings = Config['limits']
