import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Address } from '../addresses.ts'
import { freePort } from '../ports.ts'
import { askHttp, untilReady } from '../ready.ts'
import type { Run } from '../run.ts'
import { download } from './maven.ts'
import { javaEnvironment, requireJava } from './programs.ts'

// At least 4.1: in earlier versions, to list more than 1,000 names with a space, `=` or `é` never ends.
const S3PROXY = { name: 's3proxy', version: '4.1.1', pom: 's3proxy.pom.xml', goal: 'copy-dependencies' } as const
// The server holds a signed body in memory: six concurrent bodies of 60 MiB need this much.
const HEAP = '1g'
// Keeps the optimizing compiler: only its code hashes with CPU instructions, and every part is hashed.
const JVM = [`-Xmx${HEAP}`, '-XX:+UseSerialGC']

export async function startS3(run: Run): Promise<S3Address> {
  const java = await requireJava()
  const libraries = await download(run, S3PROXY)
  const directory = join(run.directory, 's3')
  await mkdir(join(directory, 'objects'), { recursive: true })
  const address = {
    endpoint: `http://127.0.0.1:${await freePort()}`,
    region: 'us-east-1',
    accessKey: `access${randomBytes(8).toString('hex')}`,
    secretKey: randomBytes(24).toString('hex'),
  }
  const settings = join(directory, 's3proxy.properties')
  await writeFile(settings, properties(address, join(directory, 'objects')))
  const server = await run.start({
    name: 's3',
    command: java,
    env: javaEnvironment(),
    args: [
      ...JVM,
      `-Dlogback.configurationFile=${join(import.meta.dirname, 's3proxy-logback.xml')}`,
      ...['-cp', join(libraries, '*'), 'org.gaul.s3proxy.Main', '--properties', settings],
    ],
  })
  await untilReady(server, () => askHttp(address.endpoint))
  return { ...address, pid: server.pid }
}

function properties({ endpoint, accessKey, secretKey }: Omit<S3Address, 'pid'>, objects: string): string {
  return `s3proxy.endpoint=${endpoint}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=${accessKey}
s3proxy.credential=${secretKey}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir=${objects}
jclouds.identity=unused
jclouds.credential=unused
`
}
