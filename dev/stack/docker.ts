import { randomBytes } from 'node:crypto'
import type { StartedTestContainer } from 'testcontainers'
import { type Neo4jAddress, type Provider, redisDatabases, type TargetAddress } from './addresses.ts'
import { dockerAnswers } from './docker-engine.ts'
import { askHttp, askNeo4j, askRedis, untilReady } from './ready.ts'
import type { Run } from './run.ts'

// The same server and version as the native one. Of those tried, only it lists all names correctly and lets exactly one
// of several concurrent PUTs with `If-None-Match: *` succeed.
const S3_IMAGE = 'andrewgaul/s3proxy:4.1.1'
// Includes the time to pull the image.
const START_MS = 10 * 60_000

interface Wanted {
  image: string
  ports: number[]
  command?: string[]
  environment?: Record<string, string>
}

/** Starts containers if a Docker engine answers. Reports what cannot be started and leaves it to the next provider. */
export function docker(run: Run): Provider {
  let engine: Promise<boolean> | undefined

  /** Starts a container, waits until `ask` succeeds, and returns `address` of the host:port of each of its ports. */
  async function start<Address>(
    wanted: Wanted,
    address: (...hostPorts: string[]) => Address,
    ask: (it: Address) => Promise<void>,
  ) {
    engine ??= dockerAnswers()
    if (!(await engine)) return undefined
    try {
      const log: string[] = []
      const container = await startContainer(run, wanted, log)
      run.onStop(() => container.stop())
      const result = address(...wanted.ports.map((port) => hostPort(container, port)))
      const server = { name: wanted.image, exited: new Promise<never>(() => {}), tail: () => log.slice(-20).join('') }
      await untilReady(server, () => ask(result))
      return result
    } catch (error) {
      run.say(`Docker could not start ${wanted.image} (${(error as Error).message}); trying without Docker`)
      return undefined
    }
  }

  const neo4j = (image: string, settings: Record<string, string>) => {
    const password = randomBytes(12).toString('hex')
    const environment = {
      NEO4J_AUTH: `neo4j/${password}`,
      NEO4J_dbms_security_auth__max__failed__attempts: '0',
      ...settings,
    }
    return start<TargetAddress>(
      { image, ports: [7687, 7474], environment },
      (bolt, http) => ({
        boltUrl: `bolt://${bolt}`,
        httpUrl: `http://${http}`,
        username: 'neo4j',
        password,
        pid: null,
      }),
      async (address) => {
        await askNeo4j(address)
        await askHttp(address.httpUrl)
      },
    )
  }
  const withoutHttp = async (starting: Promise<TargetAddress | undefined>): Promise<Neo4jAddress | undefined> => {
    const started = await starting
    if (!started) return undefined
    const { httpUrl: _, ...address } = started
    return address
  }
  const neo4j5 = () =>
    neo4j('neo4j:5.26-community', {
      NEO4J_server_memory_heap_max__size: '512m',
      NEO4J_server_memory_pagecache_size: '64m',
      NEO4J_db_tx__log_preallocate: 'false',
    })

  return {
    redis: () =>
      start(
        {
          image: 'redis:7-alpine',
          ports: [6379],
          command: [
            'redis-server',
            '--save',
            '',
            '--appendonly',
            'no',
            '--maxmemory-policy',
            'noeviction',
            '--databases',
            String(redisDatabases),
          ],
        },
        (hostPort) => ({ url: `redis://${hostPort}`, pid: null }),
        ({ url }) => askRedis(url),
      ),
    s3: () => {
      const keys = { accessKey: randomBytes(8).toString('hex'), secretKey: randomBytes(24).toString('hex') }
      const environment = {
        S3PROXY_AUTHORIZATION: 'aws-v2-or-v4',
        S3PROXY_IDENTITY: keys.accessKey,
        S3PROXY_CREDENTIAL: keys.secretKey,
        S3PROXY_ENDPOINT: 'http://0.0.0.0:80',
        JCLOUDS_PROVIDER: 'filesystem-nio2',
        JCLOUDS_FILESYSTEM_BASEDIR: '/data',
        // Otherwise file names could have only ASCII characters.
        LC_ALL: 'C.UTF-8',
      }
      return start(
        { image: S3_IMAGE, ports: [80], environment },
        (hostPort) => ({ endpoint: `http://${hostPort}`, region: 'us-east-1', ...keys, pid: null }),
        ({ endpoint }) => askHttp(endpoint),
      )
    },
    neo4j: () => withoutHttp(neo4j5()),
    target: neo4j5,
    legacy: () =>
      withoutHttp(
        neo4j('neo4j:3.5', {
          NEO4J_dbms_memory_heap_max__size: '320m',
          NEO4J_dbms_memory_pagecache_size: '64m',
        }),
      ),
  }
}

async function startContainer(run: Run, { image, ports, command, environment }: Wanted, log: string[]) {
  // Imported only if Docker is used: loading takes about a second.
  const { GenericContainer, Wait } = await import('testcontainers')
  run.say(`${image}: starting with Docker, which fetches the image once`)
  const container = new GenericContainer(image)
    .withExposedPorts(...ports)
    .withEnvironment(environment ?? {})
    .withWaitStrategy(Wait.forListeningPorts())
    .withStartupTimeout(START_MS)
    .withLogConsumer((stream) => stream.on('data', (line) => log.push(String(line))))
  return (command ? container.withCommand(command) : container).start()
}

function hostPort(container: StartedTestContainer, port: number): string {
  const host = container.getHost()
  // localhost may resolve to ::1 first, where the port is not open.
  return `${host === 'localhost' ? '127.0.0.1' : host}:${container.getMappedPort(port)}`
}
