import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileOf } from '../../dev/service.ts'
import { importerEnvironment } from '../../dev/stack/native/neo4j.ts'
import type { Lane } from './lanes.ts'
import { writeParts } from './replay-packet.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'
import { childrenCpuSeconds, countCpu } from './usage.ts'
import { clear, openWhole } from './whole-target.ts'

/** The graph as a packet, made a database that was empty: by a replay, or by Neo4j's importer. */
export const restoreLanes: Lane[] = [
  { name: 'restore-replay', unit: 'pairs', what: 'replay, four lanes', measure: replayed, most: 1 },
  { name: 'restore-import', unit: 'pairs', what: 'convert, then the importer', measure: imported, most: 1 },
]

const run = promisify(execFile)
let packet: string | null = null

function packetIn({ run: { directory }, scale }: Setting): string {
  if (packet !== null) return packet
  packet = join(directory, 'restore-packet')
  mkdirSync(packet)
  writeParts(packet, scale)
  return packet
}

const packets = (words: readonly string[], variables: Record<string, string> = {}) =>
  run(process.execPath, [fileOf('client'), ...words, '--json', '--progress', 'none'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, ...variables },
  })

async function replayed(setting: Setting): Promise<Measured> {
  const source = packetIn(setting)
  const { target } = await openWhole(setting, 'all')
  await clear(target)
  const to = ['--to', target.boltUrl, '--user', target.username, '--create-constraints', '--restart']
  const [used, cpuBefore, before] = [countCpu({ database: [target.pid] }), childrenCpuSeconds(), performance.now()]
  const { stdout } = await packets(['replay', source, ...to, '--lanes', '4'], {
    PACKETS_TARGET_PASSWORD: target.password,
  })
  const seconds = (performance.now() - before) / 1_000
  const result = {
    statements: JSON.parse(stdout).rows,
    seconds,
    clientCpu: childrenCpuSeconds() - cpuBefore,
    databaseCpu: used().database,
  }
  await clear(target)
  return result
}

async function imported(setting: Setting): Promise<Measured> {
  const source = packetIn(setting)
  const files = join(setting.run.directory, 'restore-files')
  rmSync(files, { recursive: true, force: true })
  const env = { ...process.env, ...(await importerEnvironment(setting.run)) }
  const [cpuBefore, before] = [childrenCpuSeconds(), performance.now()]
  const { stdout } = await packets(['convert', source, files, '--to', 'import-csv'])
  const [cpuBetween, between] = [childrenCpuSeconds(), performance.now()]
  const told = await run('sh', [join(files, 'import.sh'), '--overwrite-destination'], { env, maxBuffer: 2 ** 26 })
  const after = performance.now()
  const { pairs, nodes, relationships } = JSON.parse(stdout)
  if (!new RegExp(`${nodes} nodes\\s+${relationships} relationships`).test(told.stdout))
    throw new Error(`the importer did not import all rows: ${told.stdout}`)
  return {
    statements: pairs,
    seconds: (after - before) / 1_000,
    convertSeconds: (between - before) / 1_000,
    clientCpu: cpuBetween - cpuBefore,
    databaseCpu: childrenCpuSeconds() - cpuBetween,
  }
}
