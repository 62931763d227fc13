import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Overrides } from '../shared/config/overrides.ts'
import { type RunningProcess, startProcess } from './stack/processes.ts'
import type { Stack } from './stack/stack.ts'
import { buildPrograms, builtFile } from './tools/build-programs.ts'

/** Addresses of the dependencies, without ownership: the service does not stop them. */
type Addresses = Pick<Stack, 'redis' | 's3' | 'neo4j' | 'legacy'>

const root = join(import.meta.dirname, '..')

export interface ServiceOptions {
  /** Folder of the logs and the tokens file; created if missing. */
  directory: string
  workers?: number
  /** With `bucket`: isolates services that share one Redis and one store. By default that of the stack's URL. */
  redisDatabase?: number
  bucket?: string
  /** Settings that add to or override those derived from the stack. */
  env?: Record<string, string>
  /** `host:port` of further allowed origins, besides the stack's own. */
  origins?: readonly string[]
  tokens?: readonly { name: string; orgs: string[]; scopes: string[] }[]
  /** Builds the programs and starts what was built; by default what `fileOf` says. */
  isBuilt?: boolean
}

/** One API and some workers as real processes, as an operator would run them. */
export interface Service {
  apiUrl: string
  /** By name; `all` has all orgs and scopes. */
  tokens: Record<string, string>
  bucket: string
  redisUrl: string
  env: Record<string, string>
  api: RunningProcess
  workers: RunningProcess[]
  startWorker(env?: Record<string, string>): Promise<RunningProcess>
  /** Starts another API on its own port. */
  startApi(env?: Record<string, string>): Promise<{ apiUrl: string; api: RunningProcess }>
  logs(): string
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const all = {
  name: 'all',
  orgs: ['*'],
  scopes: ['publish:read', 'publish:write', 'manager:read', 'manager:write', 'search:read', 'ops:read', 'ops:write'],
}

/**
 * Variables for a program whose fixed limits and times a test replaces. The overrides of a start add to its service's.
 */
export const overrides = (values: Overrides): Record<string, string> =>
  Object.keys(values).length > 0 ? { TEST_OVERRIDES: JSON.stringify(values) } : {}

const overridesOf = ({ TEST_OVERRIDES: text = '{}' }: Record<string, string>): Overrides => JSON.parse(text)

type Program = 'api' | 'worker' | 'doctor' | 'client'

/**
 * The file of a program, from the root of the project: built, or the TypeScript as it is. `PROGRAMS=built` chooses for
 * tests, which build the programs first.
 */
export function fileOf(program: Program, isBuilt = process.env.PROGRAMS === 'built'): string {
  return isBuilt ? builtFile(program === 'client' ? 'packets' : program) : `${program}/main.ts`
}

/** The Node arguments and environment variables that `npm run api` or `npm run worker` sets. */
export function startOf(program: 'api' | 'worker', isBuilt?: boolean) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const words: string[] = scripts[program].split(' && ').at(-1).split(' ')
  const node = words.indexOf('node_modules/.bin/node')
  const variables: Record<string, string> = Object.fromEntries(words.slice(0, node).map((word) => word.split('=')))
  return { args: [...words.slice(node + 1, -1), fileOf(program, isBuilt)], variables }
}

/** Starts the service on a stack, with settings derived from it. Only the stack's and the given origins are allowed. */
export async function startService(stack: Addresses, options: ServiceOptions): Promise<Service> {
  const { directory, workers = 2, redisDatabase, bucket = 'publish' } = options
  mkdirSync(directory, { recursive: true })
  if (options.isBuilt) await buildPrograms()
  const given = [all, ...(options.tokens ?? [])].map((entry) => ({
    ...entry,
    token: randomBytes(24).toString('base64url'),
  }))
  const tokensFile = join(directory, 'tokens.json')
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  writeFileSync(tokensFile, JSON.stringify(given.map(({ token, ...entry }) => ({ ...entry, sha256: digest(token) }))))
  const { url } = stack.redis
  const database = redisDatabase ?? /\/(\d+)$/.exec(url)?.[1] ?? 0
  const redisUrl = `${url.replace(/\/\d*$/, '')}/${database}`
  const origins = [stack.neo4j, stack.legacy].flatMap((origin) => (origin ? [new URL(origin.boltUrl).host] : []))
  const env: Record<string, string> = {
    API_PORT: '0',
    WORKER_HEALTH_PORT: '0',
    REDIS_URL: redisUrl,
    S3_ENDPOINT: stack.s3.endpoint,
    S3_REGION: stack.s3.region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY: stack.s3.accessKey,
    S3_SECRET_KEY: stack.s3.secretKey,
    MANAGER_DB_URL: stack.neo4j.boltUrl,
    MANAGER_DB_USER: stack.neo4j.username,
    MANAGER_DB_PASSWORD: stack.neo4j.password,
    AUTH_TOKENS: tokensFile,
    SECRET_KEYS: `local:${randomBytes(32).toString('base64')}`,
    MASK_KEYS: `local:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_PER_MINUTE: '0',
    ORIGIN_ALLOW: [...origins, ...(options.origins ?? [])].join(','),
    ...options.env,
  }
  const running: RunningProcess[] = []
  let started = 0
  const start = async (program: 'api' | 'worker', more: Record<string, string> = {}) => {
    const name = `${program}-${started++}`
    const logFile = join(directory, `${name}.log`)
    const { args, variables } = startOf(program, options.isBuilt)
    const both = overrides({ ...overridesOf(env), ...overridesOf(more) })
    const childEnv = { PATH: process.env.PATH ?? '', ...variables, ...env, ...more, ...both }
    const child = await startProcess({
      name,
      command: process.execPath,
      args,
      cwd: root,
      env: childEnv,
      logFile,
    })
    running.push(child)
    return child
  }
  const stop = async () => {
    await Promise.all(running.map((child) => child.stop(40_000)))
  }
  try {
    const [api, ...workersStarted] = await Promise.all([
      start('api'),
      ...Array.from({ length: workers }, () => start('worker')),
    ])
    const port = await listeningPort(api as RunningProcess)
    await Promise.all(workersStarted.map(listeningPort))
    return {
      apiUrl: `http://${hostOf(env.API_HOST)}:${port}`,
      tokens: Object.fromEntries(given.map(({ name, token }) => [name, token])),
      bucket,
      redisUrl,
      env,
      api: api as RunningProcess,
      workers: workersStarted,
      async startWorker(more) {
        const worker = await start('worker', more)
        await listeningPort(worker)
        return worker
      },
      async startApi(more) {
        const another = await start('api', more)
        return { apiUrl: `http://${hostOf(env.API_HOST)}:${await listeningPort(another)}`, api: another }
      },
      logs: () => running.map((child) => child.log()).join(''),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The host of a URL for a client on this machine, if a program listens on this address. */
function hostOf(address = '127.0.0.1'): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return isIP(address) === 6 ? `[${address}]` : address
}

/** Allows for ten programs that start at once on a busy machine. */
const startLimitMs = 90_000

/** Waits until a program logs that it has started. @returns the port it listens on. */
async function listeningPort(child: RunningProcess): Promise<number> {
  for (const deadline = Date.now() + startLimitMs; Date.now() < deadline; await delay(50)) {
    const log = child.log()
    if (log.includes('"msg":"started"')) return Number(/"port":(\d+),"msg":"listening"/.exec(log)?.[1])
    if (child.hasExited()) break
  }
  throw new Error(`${child.name} did not start:\n${child.tail()}`)
}
