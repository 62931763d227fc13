import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Neo4jAddress } from '../../../dev/stack/addresses.ts'
import { freePort } from '../../../dev/stack/ports.ts'
import { askNeo4j, untilReady } from '../../../dev/stack/ready.ts'
import type { Run } from '../../../dev/stack/run.ts'
import { ofPythonPackage } from './python-package.ts'

/** The version that `startArcadeDb` starts. */
export const arcadeDbVersion = '26.10.2'

/**
 * An ArcadeDB with the databases `first`, the default, and `second`. It comes in a Python package, with a Java of its
 * own. @throws Error if the package cannot be downloaded
 */
export async function startArcadeDb(run: Run): Promise<Neo4jAddress> {
  const java = ofPythonPackage({
    name: 'arcadedb',
    arguments: [`arcadedb-embedded==${arcadeDbVersion}.post1`],
    program: 'arcadedb_embedded/jre/bin/java',
  })
  if (java === null) throw new Error('pip could not download ArcadeDB')
  const home = join(run.directory, 'arcadedb')
  await mkdir(home, { recursive: true })
  const [boltPort, httpPort] = [await freePort(), await freePort()]
  const password = 'arcadedb-of-tests'
  const settings = {
    'server.rootPath': home,
    'server.rootPassword': password,
    'server.httpIncomingHost': '127.0.0.1',
    'server.httpIncomingPort': httpPort,
    'server.plugins': 'Bolt:com.arcadedb.bolt.BoltProtocolPlugin',
    'server.defaultDatabases': 'first[root];second[root]',
    'bolt.host': '127.0.0.1',
    'bolt.port': boltPort,
    'bolt.defaultDatabase': 'first',
  }
  const server = await run.start(
    {
      name: 'arcadedb',
      command: java,
      args: [
        ...['-Xmx1g', '-XX:+UseSerialGC', '--add-modules=jdk.incubator.vector'],
        ...Object.entries(settings).map(([name, value]) => `-Darcadedb.${name}=${value}`),
        ...['-cp', join(dirname(java), '../../jars/*'), 'com.arcadedb.server.ArcadeDBServer'],
      ],
      cwd: home,
    },
    0,
  )
  const address = { boltUrl: `bolt://127.0.0.1:${boltPort}`, username: 'root', password, pid: server.pid }
  await untilReady(server, () => askNeo4j(address))
  return address
}
