import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Neo4jAddress, TargetAddress } from '../addresses.ts'
import { freePort } from '../ports.ts'
import { askHttp, askNeo4j, untilReady, withDriver } from '../ready.ts'
import type { Run } from '../run.ts'
import type { Artifact } from './maven.ts'
import { download } from './maven.ts'
import { findJdk, findProgram, javaEnvironment, requireJava } from './programs.ts'

interface Edition {
  artifact: Artifact
  heap: string
  opens: readonly string[]
  /** A folder of plugins, which must also be on the class path. */
  plugins?: string
  /** Overrides the start-up limit, as plugins slow the start down. */
  startLimitMs?: number
  /** The java command, if it is not the usual one. */
  java?: string
  /** The class to run and its arguments, if they differ from Neo4j 3.5 and 5. */
  main?: (home: string) => readonly string[]
  settings(boltPort: number, httpPort: number): Record<string, string | number | boolean>
  /** Null if the server takes any password. */
  setPassword: { database?: string; statement: string; parameters(password: string): Record<string, string> } | null
}

const harness = (version: string): Artifact => ({
  name: 'neo4j-harness',
  version,
  pom: 'neo4j.pom.xml',
  goal: 'copy-dependencies',
  settings: [`-Dneo4j=${version}`],
})

const FIVE: Edition = {
  artifact: harness('5.26.30'),
  heap: '512m',
  opens: ['java.nio', 'java.io', 'sun.nio.ch', 'java.lang', 'java.util.concurrent'],
  settings: (boltPort) => ({
    'server.default_listen_address': '127.0.0.1',
    'server.bolt.listen_address': `127.0.0.1:${boltPort}`,
    'server.http.enabled': false,
    'server.https.enabled': false,
    'server.memory.pagecache.size': '64m',
    'dbms.usage_report.enabled': false,
    // Tests with wrong passwords must not lock the account for other tests.
    'dbms.security.auth_max_failed_attempts': 0,
    // Reduces a fresh home from 519 MB to 2 MB.
    'db.tx_log.preallocate': false,
    'db.tx_log.rotation.size': '16m',
  }),
  setPassword: {
    database: 'system',
    statement: "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $password",
    parameters: (password) => ({ password }),
  },
}

const fiveWithHttp = (httpPort: number): Edition => ({
  ...FIVE,
  settings: (boltPort) => ({
    ...FIVE.settings(boltPort, httpPort),
    'server.http.enabled': true,
    'server.http.listen_address': `127.0.0.1:${httpPort}`,
  }),
})

const THREE: Edition = {
  artifact: harness('3.5.35'),
  heap: '320m',
  opens: [
    ...FIVE.opens,
    ...['java.util', 'jdk.internal.misc', 'sun.net.spi', 'jdk.internal.ref', 'java.lang.reflect'],
    ...['sun.security.x509', 'sun.security.util'],
  ],
  settings: (boltPort, httpPort) => ({
    'dbms.connectors.default_listen_address': '127.0.0.1',
    'dbms.connector.bolt.enabled': true,
    'dbms.connector.bolt.listen_address': `127.0.0.1:${boltPort}`,
    // Without an HTTP connector, Neo4j 3.5 exits right after starting.
    'dbms.connector.http.enabled': true,
    'dbms.connector.http.listen_address': `127.0.0.1:${httpPort}`,
    'dbms.connector.https.enabled': false,
    'dbms.memory.pagecache.size': '64m',
    'dbms.security.auth_enabled': true,
    'dbms.security.auth_max_failed_attempts': 0,
    'dbms.udc.enabled': false,
  }),
  setPassword: { statement: 'CALL dbms.changePassword({password})', parameters: (password) => ({ password }) },
}

/**
 * Without the optimizing compiler a server starts twice as fast and is warm sooner. The JVM would then reserve 48 MB for
 * code, which the queries of all tests fill.
 */
const QUICK_START = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:ReservedCodeCacheSize=240m']

export async function startOrigin(run: Run, isShortLived: boolean): Promise<Neo4jAddress> {
  return (await startNeo4j(run, 'neo4j', FIVE, isShortLived ? QUICK_START : ['-XX:+UseSerialGC'])).address
}

export async function startLegacy(run: Run): Promise<Neo4jAddress> {
  return (await startNeo4j(run, 'legacy', THREE, QUICK_START)).address
}

export async function startTarget(run: Run): Promise<TargetAddress> {
  const httpPort = await freePort()
  const { server, address } = await startNeo4j(run, 'target', fiveWithHttp(httpPort), QUICK_START)
  const httpUrl = `http://127.0.0.1:${httpPort}`
  // HTTP opens after bolt.
  await untilReady(server, () => askHttp(httpUrl))
  return { ...address, httpUrl }
}

const APOC: Artifact = { name: 'apoc', version: '5.26.19', pom: 'apoc.pom.xml', goal: 'copy-dependencies' }

/** A server with enough memory for the benchmark's graph. */
const LARGE: Edition = {
  ...FIVE,
  heap: '2g',
  startLimitMs: 240_000,
  settings: (boltPort, httpPort) => ({
    ...FIVE.settings(boltPort, httpPort),
    'server.memory.pagecache.size': '1g',
  }),
}

/** The benchmark's origin, with APOC's exports. */
export async function startOriginWithApoc(run: Run): Promise<Neo4jAddress> {
  const plugins = await download(run, APOC)
  const edition: Edition = {
    ...LARGE,
    plugins,
    settings: (boltPort, httpPort) => ({
      ...LARGE.settings(boltPort, httpPort),
      'server.directories.plugins': plugins,
      'dbms.security.procedures.unrestricted': 'apoc.*',
    }),
  }
  return (await startNeo4j(run, 'neo4j-apoc', edition, ['-XX:+UseSerialGC'])).address
}

/** The benchmark's target. */
export async function startLargeTarget(run: Run): Promise<Neo4jAddress> {
  return (await startNeo4j(run, 'neo4j-target', LARGE, ['-XX:+UseSerialGC'])).address
}

const FOUR: Edition = {
  artifact: harness('4.4.48'),
  heap: '400m',
  opens: THREE.opens,
  settings: (boltPort) => ({
    'dbms.default_listen_address': '127.0.0.1',
    'dbms.connector.bolt.enabled': true,
    'dbms.connector.bolt.listen_address': `127.0.0.1:${boltPort}`,
    'dbms.connector.http.enabled': false,
    'dbms.connector.https.enabled': false,
    'dbms.memory.pagecache.size': '64m',
    'dbms.tx_log.preallocate': false,
    'dbms.tx_log.rotation.size': '16m',
    'dbms.security.auth_enabled': true,
    'dbms.security.auth_max_failed_attempts': 0,
  }),
  setPassword: FIVE.setPassword,
}

/** Neo4j 4.0 and 4.1, over whose Bolt 3 no statement reaches the database `system`, which sets passwords. */
const FOUR_ZERO: Edition = {
  ...FOUR,
  settings: (boltPort, httpPort) => ({ ...FOUR.settings(boltPort, httpPort), 'dbms.security.auth_enabled': false }),
  setPassword: null,
}

const OLDEST_JAVA_OF_CURRENT = 21

const CURRENT: Edition = {
  ...FIVE,
  // The JVM compiles the source file itself.
  main: (home) => [join(import.meta.dirname, 'StartNeo4j.java'), home],
  settings: (boltPort, httpPort) => ({
    ...FIVE.settings(boltPort, httpPort),
    // These are on by default only in a server.
    'server.bolt.enabled': true,
    'dbms.security.auth_enabled': true,
  }),
}

/**
 * A Neo4j of this version, from 3.4 on. Undefined if it has a calendar version, and no JDK can run it or no Maven can
 * fetch it.
 */
export async function startVersion(run: Run, version: string): Promise<Neo4jAddress | undefined> {
  const edition = await editionOf(version)
  return edition && (await startNeo4j(run, `neo4j-${version}`, edition, QUICK_START)).address
}

/**
 * The same, with a database that the importer of this version has made. `fill` gets the environment of a command that
 * runs `$NEO4J_ADMIN`.
 */
export async function startImported(
  run: Run,
  version: string,
  fill: (environment: Record<string, string>) => Promise<unknown>,
): Promise<Neo4jAddress | undefined> {
  const edition = await editionOf(version)
  if (edition === undefined) return undefined
  return (await startNeo4j(run, `imported-${version}`, edition, QUICK_START, fill)).address
}

/** The environment of a command that runs `$NEO4J_ADMIN` of Neo4j 5, into a home of its own. */
export async function importerEnvironment(run: Run): Promise<Record<string, string>> {
  const { admin } = await install(run, 'importer', FIVE, [])
  return admin()
}

async function editionOf(version: string): Promise<Edition | undefined> {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isCurrent = major > 5
  const java = isCurrent ? await findJdk(OLDEST_JAVA_OF_CURRENT) : undefined
  if (isCurrent && (java === undefined || !findProgram('mvn'))) return undefined
  const four = minor < 2 ? FOUR_ZERO : FOUR
  const base = isCurrent ? CURRENT : major === 5 ? FIVE : major === 4 ? four : THREE
  return { ...base, artifact: harness(version), ...(java && { java }) }
}

/** A Neo4j 5 that a test can stop, and start again with its data. */
export interface StoppableNeo4j {
  address: Neo4jAddress
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a Neo4j for a single test. */
export async function startStoppable(run: Run): Promise<StoppableNeo4j> {
  const { address, boot } = await install(run, 'stoppable', FIVE, QUICK_START)
  let server = await boot()
  await untilReady(server, () => setPassword(address, FIVE))
  return {
    address,
    stop: () => server.stop(60_000),
    async start() {
      server = await boot()
      await untilReady(server, () => askNeo4j(address))
    },
  }
}

async function startNeo4j(
  run: Run,
  name: string,
  edition: Edition,
  jvm: string[],
  fill?: (environment: Record<string, string>) => Promise<unknown>,
) {
  const { address, boot, admin } = await install(run, name, edition, jvm)
  if (fill) await fill(await admin())
  const server = await boot()
  // The password may have been set although the answer came too late.
  const set = () => setPassword(address, edition).catch((error) => askNeo4j(address).catch(() => Promise.reject(error)))
  await untilReady(server, set, edition.startLimitMs)
  await untilReady(server, () => askNeo4j(address), edition.startLimitMs)
  return { server, address: { ...address, pid: server.pid } }
}

const communityServer = (home: string) => [
  ...['org.neo4j.server.CommunityEntryPoint', `--home-dir=${home}`, `--config-dir=${join(home, 'conf')}`],
  '--console-mode',
]

/** Creates a home with its configuration; `boot` starts a server on it. */
async function install(run: Run, name: string, edition: Edition, jvm: string[]) {
  const java = edition.java ?? (await requireJava())
  const classPath = [await download(run, edition.artifact), ...(edition.plugins ? [edition.plugins] : [])]
  const home = join(run.directory, name)
  const boltPort = await freePort()
  await writeConfiguration(join(home, 'conf'), edition.settings(boltPort, await freePort()))
  const opens = edition.opens.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`)
  const program = {
    name,
    command: java,
    env: javaEnvironment(),
    args: [
      ...[...jvm, `-Xmx${edition.heap}`, ...opens, '-Dio.netty.tryReflectionSetAccessible=true'],
      ...['-cp', classPath.map((folder) => join(folder, '*')).join(delimiter)],
      ...(edition.main ?? communityServer)(home),
    ],
    cwd: home,
  }
  const address: Neo4jAddress = {
    boltUrl: `bolt://127.0.0.1:${boltPort}`,
    username: 'neo4j',
    password: randomBytes(12).toString('hex'),
    pid: null,
  }
  /** Makes a command that is called like neo4j-admin of a distribution. */
  async function admin(): Promise<Record<string, string>> {
    const file = join(home, 'neo4j-admin')
    const words = [...opens, '-cp', join(classPath[0] as string, '*'), 'org.neo4j.cli.AdminTool']
    const text = `#!/bin/sh\nexec ${[java, ...words].map((word) => `'${word}'`).join(' ')} "$@"\n`
    await writeFile(file, text, { mode: 0o755 })
    return { NEO4J_ADMIN: file, NEO4J_HOME: home, NEO4J_CONF: join(home, 'conf'), LC_ALL: 'C.UTF-8' }
  }

  // No grace: an orderly stop takes ten seconds, and the home is discarded anyway.
  return { address, boot: () => run.start(program, 0), admin }
}

async function setPassword(address: Neo4jAddress, edition: Edition) {
  if (edition.setPassword === null) return
  const { database, statement, parameters } = edition.setPassword
  await withDriver({ ...address, password: 'neo4j' }, async (driver) => {
    const session = driver.session({ database })
    await session.run(statement, parameters(address.password)).finally(() => session.close())
  })
}

async function writeConfiguration(folder: string, settings: Record<string, string | number | boolean>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'neo4j.conf'), lines.join(''))
}
