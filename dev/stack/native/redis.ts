import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type RedisAddress, redisDatabases } from '../addresses.ts'
import { freePort } from '../ports.ts'
import { askRedis, untilReady } from '../ready.ts'
import type { Run } from '../run.ts'
import { download } from './maven.ts'
import { findProgram } from './programs.ts'

const BINARIES: Record<string, string> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'linux-ia32': 'redis-server-6.2.7-linux-386',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
}

export async function startRedis(run: Run): Promise<RedisAddress> {
  const command = await redisServer(run)
  const directory = join(run.directory, 'redis')
  await mkdir(directory)
  const port = await freePort()
  const server = await run.start({
    name: 'redis',
    command,
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
      ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
      ...['--databases', String(redisDatabases)],
    ],
  })
  const url = `redis://127.0.0.1:${port}`
  await untilReady(server, () => askRedis(url))
  return { url, pid: server.pid }
}

/** The path of a redis-server. Throws one line that says what to install if there is none. */
export const redisServer = async (run: Run): Promise<string> =>
  findProgram('redis-server') ?? (await downloadRedis(run))

async function downloadRedis(run: Run): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const binary = BINARIES[platform]
  if (!binary) throw new Error(`No redis-server on the PATH, and no binary for ${platform}: install Redis, or Docker`)
  const folder = await download(run, {
    name: 'embedded-redis',
    version: '1.4.4',
    pom: 'redis.pom.xml',
    goal: 'unpack-dependencies',
    settings: ['-DincludeArtifactIds=embedded-redis', '-Dmdep.unpack.includes=redis-server-*'],
  })
  const command = join(folder, binary)
  await chmod(command, 0o755)
  return command
}
