import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3Address } from '../../dev/stack/addresses.ts'
import { freePort } from '../../dev/stack/ports.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import { askHttp, untilReady } from '../../dev/stack/ready.ts'
import type { Run } from '../../dev/stack/run.ts'
import { unpackDebian } from './debian-packages.ts'

/** The servers, and the libraries they need beyond those of a usual Debian 12. */
const packages = [
  ...['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common', 'ceph-base', 'librados2', 'libradosstriper1', 'librbd1'],
  ...['libcephfs2', 'librgw2', 'libaio1', 'libboost-context1.74.0', 'libboost-thread1.74.0', 'libdaxctl1', 'libfmt9'],
  ...['libfuse2', 'libgoogle-perftools4', 'libibverbs1', 'libleveldb1d', 'liblua5.3-0', 'libndctl6', 'libnl-3-200'],
  ...['libnl-route-3-200', 'liboath0', 'libpmem1', 'librabbitmq4', 'librdmacm1', 'libsnappy1v5'],
  ...['libtcmalloc-minimal4'],
]

const osdBytes = 4 * 1024 ** 3

/** A cluster of one monitor and one OSD in memory, behind the gateway. The monitor learns of the OSD as it is made. */
export async function startCeph(
  run: Run,
  keys: Pick<S3Address, 'accessKey' | 'secretKey' | 'region'>,
): Promise<S3Address> {
  const root = await unpackDebian(run, 'ceph', packages)
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu')
  const directory = join(run.directory, 'ceph')
  const at = (name: string) => join(directory, name)
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(at(name), { recursive: true })
  const [monitor, port, fsid] = [`v2:127.0.0.1:${await freePort()}`, await freePort(), randomUUID()]
  const settings = {
    fsid,
    'mon host': monitor,
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    'mon data': at('mon'),
    'osd data': at('osd'),
    'rgw data': at('rgw'),
    'run dir': directory,
    'auth cluster required': 'none',
    'auth service required': 'none',
    'auth client required': 'none',
    // The gateway's default, `secure`, does not work without authentication.
    'ms mon client mode': 'crc',
    'osd objectstore': 'memstore',
    'memstore device bytes': osdBytes,
    'osd crush chooseleaf type': 0,
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'mon allow pool size one': true,
    'osd pool default pg num': 8,
    'osd pool default pg autoscale mode': 'off',
    'mon max pg per osd': 2_000,
    'osd class dir': join(libraries, 'rados-classes'),
    'plugin dir': join(libraries, 'ceph'),
    'erasure code dir': join(libraries, 'ceph/erasure-code'),
    'log to file': false,
    'mon cluster log to file': false,
    'log to stderr': true,
    'admin socket': '',
    'rgw frontends': `beast endpoint=127.0.0.1:${port}`,
  }
  const file = at('ceph.conf')
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`)
  await writeFile(file, `[global]\n${lines.join('\n')}\n`)
  const paths = [libraries, join(libraries, 'ceph'), join(root, 'lib/x86_64-linux-gnu')]
  const env = { PATH: process.env.PATH, HOME: directory, CEPH_CONF: file, LD_LIBRARY_PATH: paths.join(':') }
  const started = (name: string, program: string, ...args: string[]) =>
    // What it has stored is of no use when it stops.
    run.start({ name: `ceph-${name}`, command: join(root, 'usr/bin', program), args, cwd: directory, env }, 0)
  const must = async (name: string, program: string, ...args: string[]) => {
    const child = await started(name, program, ...args)
    const exit = await child.exited
    if (exit.code !== 0) throw new Error(`${program} ended, ${describeExit(exit)}. It said:\n${child.tail()}`)
  }

  await must('monmap', 'monmaptool', '--create', '--fsid', fsid, '--addv', 'a', monitor, at('monmap'))
  await must('osdmap', 'osdmaptool', '--createsimple', '1', at('osdmap'))
  await must('make-mon', 'ceph-mon', '--mkfs', '-i', 'a', '--monmap', at('monmap'), '--osdmap', at('osdmap'))
  await started('mon', 'ceph-mon', '-f', '-i', 'a')
  await must('make-osd', 'ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', randomUUID())
  await started('osd', 'ceph-osd', '-f', '-i', '0')
  const { accessKey, secretKey } = keys
  const user = ['--uid=test', '--display-name=test', `--access-key=${accessKey}`, `--secret-key=${secretKey}`]
  await must('user', 'radosgw-admin', 'user', 'create', '--max-buckets=0', ...user)
  const gateway = await started('gateway', 'radosgw', '-f', '-n', 'client.admin')
  const endpoint = `http://127.0.0.1:${port}`
  await untilReady(gateway, () => askHttp(endpoint))
  return { endpoint, ...keys, pid: gateway.pid }
}
