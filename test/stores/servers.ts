import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Address } from '../../dev/stack/addresses.ts'
import { given } from '../../dev/stack/given.ts'
import { startS3 } from '../../dev/stack/native/s3.ts'
import { freePort } from '../../dev/stack/ports.ts'
import { askHttp, untilReady } from '../../dev/stack/ready.ts'
import type { Run } from '../../dev/stack/run.ts'
import { startMinioDialect } from '../support/faults/minio-dialect.ts'
import { startCeph } from './ceph.ts'
import { buildGoServer, versityGw } from './go-server.ts'

export interface Server {
  /** As docs/deployment.md names it. */
  title: string
  start(run: Run): Promise<S3Address>
}

const region = 'us-east-1'
const newKeys = () => ({
  accessKey: `access${randomBytes(8).toString('hex')}`,
  secretKey: randomBytes(24).toString('hex'),
})

/** The servers that `npm run try:store` can start. */
export const servers: Record<string, Server> = {
  s3proxy: { title: 'S3Proxy 4.1.1 on a file system', start: startS3 },
  'minio-dialect': {
    title: 'rules of MinIO before S3Proxy 4.1.1',
    async start(run) {
      const behind = await startS3(run)
      const { endpoint, stop } = await startMinioDialect(behind.endpoint)
      run.onStop(stop)
      return { ...behind, endpoint }
    },
  },
  versitygw: { title: 'VersityGW 1.8.0, posix', start: startVersityGw },
  seaweedfs: { title: 'SeaweedFS of 2026-11-09', start: startSeaweedFs },
  ceph: { title: 'Ceph RGW 16.2.15', start: (run) => startCeph(run, { region, ...newKeys() }) },
  given: {
    title: 'the store of S3_ENDPOINT',
    async start() {
      const address = await given.s3()
      if (address === undefined) throw new Error('S3_ENDPOINT: required for "given"')
      return address
    },
  },
}

/** Needs a file system with extended attributes. */
export async function startVersityGw(run: Run): Promise<S3Address> {
  const command = await buildGoServer(run, versityGw)
  const directory = join(run.directory, 'objects')
  await mkdir(directory)
  const [keys, port] = [newKeys(), await freePort()]
  const env = { PATH: process.env.PATH, ROOT_ACCESS_KEY: keys.accessKey, ROOT_SECRET_KEY: keys.secretKey }
  const args = ['--port', `127.0.0.1:${port}`, 'posix', directory]
  const server = await run.start({ name: 'versitygw', command, env, args })
  const endpoint = `http://127.0.0.1:${port}`
  await untilReady(server, () => askHttp(endpoint))
  return { endpoint, region, ...keys, pid: server.pid }
}

/** Each bucket takes seven volumes. */
const mostVolumes = 8_000

async function startSeaweedFs(run: Run): Promise<S3Address> {
  const command = await buildGoServer(run, {
    name: 'weed',
    module: 'github.com/seaweedfs/seaweedfs',
    version: 'v0.0.0-20261109003541-7506e5f91cd6',
    program: 'github.com/seaweedfs/seaweedfs/weed',
  })
  const directory = join(run.directory, 'objects')
  await mkdir(directory)
  const keys = newKeys()
  const actions = ['Admin', 'Read', 'Write', 'List', 'Tagging']
  const identities = [{ name: 'test', credentials: [keys], actions }]
  const settings = join(run.directory, 'identities.json')
  await writeFile(settings, JSON.stringify({ identities }))
  const services = ['master', 'volume', 'filer', 's3']
  const ports = await Promise.all(services.flatMap(() => [freePort(), freePort()]))
  const listening = services.flatMap((service, at) => [
    `-${service}.port=${ports[2 * at]}`,
    `-${service}.port.grpc=${ports[2 * at + 1]}`,
  ])
  const server = await run.start(
    {
      name: 'weed',
      command,
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory },
      args: [
        ...['-logtostderr', 'server', `-dir=${directory}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-filer', '-s3'],
        ...[`-s3.config=${settings}`, `-volume.max=${mostVolumes}`, '-master.volumeSizeLimitMB=200'],
        ...['-master.telemetry=false', ...listening],
      ],
    },
    // It takes ten seconds to stop, and what it has stored is of no use then.
    0,
  )
  const endpoint = `http://127.0.0.1:${ports[6]}`
  await untilReady(server, () => askHttp(endpoint))
  return { endpoint, region, ...keys, pid: server.pid }
}
