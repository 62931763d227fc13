import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileOf } from '../../dev/service.ts'
import { cypherShell } from '../../dev/stack/native/cypher-shell.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import type { Run } from '../../dev/stack/run.ts'
import type { CopierOrder, CopyWay } from './copier.ts'
import { changeOnePercent } from './graph.ts'
import type { Lane } from './lanes.ts'
import { warmUpOf } from './publish-lanes.ts'
import { newFile, published, tidy } from './publishing.ts'
import type { Measured } from './results.ts'
import { orgName, type Setting } from './setting.ts'
import { childrenCpuSeconds, countCpu } from './usage.ts'
import { clear, openWhole, requireEqual, type Size, type Whole } from './whole-target.ts'

/** From a graph in one database to the same graph in another that was empty, timed from process start to exit. */
export const wholeJobLanes: Lane[] = [
  {
    name: 'whole-one-lane',
    unit: 'entities',
    what: 'publish, then replay in one lane',
    measure: byUs('all', 1),
    most: 2,
  },
  { name: 'whole-four-lanes', unit: 'entities', what: 'the same in four lanes', measure: byUs('all', 4), most: 2 },
  {
    name: 'whole-driver',
    unit: 'entities',
    what: 'bare driver, batches of 1,000',
    measure: by('driver', 'all'),
    most: 2,
  },
  { name: 'copy-all', unit: 'entities', what: 'packets copy --select Person', measure: copied(false), most: 1 },
  {
    name: 'copy-delta',
    unit: 'entities',
    what: 'the same with the first one as base, after one percent has changed',
    measure: copied(true),
    most: 1,
  },
  // Takes five minutes, so it is measured only if it is named.
  { name: 'whole-apoc', unit: 'entities', what: 'APOC into cypher-shell', measure: by('apoc', 'all'), most: 0 },
  {
    name: 'tenth-four-lanes',
    unit: 'entities',
    what: 'ours, a tenth of the graph',
    measure: byUs('tenth', 4),
    most: 1,
  },
  {
    name: 'tenth-apoc',
    unit: 'entities',
    what: 'whole-apoc, a tenth of the graph',
    measure: by('apoc', 'tenth'),
    most: 1,
  },
]

interface Command {
  args: readonly string[]
  env: Record<string, string>
}

const mappedIndices = (label: string) => ({ DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'id' })

/** The client's publish and replay, with a worker that has warmed up. */
function byUs(size: Size, lanes: number) {
  return async (setting: Setting): Promise<Measured> => {
    const { run, ours } = setting
    const whole = await openWhole(setting, size)
    const fileName = newFile()
    const file = (ending: string) => join(run.directory, `${fileName}-${ending}`)
    const options = { metadata: true, relationships: ['KNOWS>'], preventCleanup: true }
    writeFileSync(file('request.json'), JSON.stringify({ mappedIndices: mappedIndices(whole.label), ...options }))
    writeFileSync(file('ids.txt'), whole.ids.join('\n'))
    const env = environmentOf(setting, whole)
    const publish = [file('request.json'), '--ids', file('ids.txt'), '--org', orgName, '--name', fileName]
    const into = ['--to', whole.target.boltUrl, '--user', whole.target.username, '--lanes', String(lanes)]
    const worker = await ours.service.startWorker()
    try {
      await published(setting, ours, [worker], warmUpOf(setting, options))
      await clear(whole.target)
      const commands = [
        { args: [fileOf('client', true), 'publish', ...publish], env },
        {
          args: [fileOf('client', true), 'replay', `${orgName}/${fileName}`, ...into, '--state', file('state.json')],
          env,
        },
      ]
      return await measure(setting, whole, commands, [worker.pid])
    } finally {
      await tidy(ours)
      await worker.stop(20_000)
    }
  }
}

const environmentOf = ({ neo4j, ours }: Setting, { target }: Whole) => ({
  PACKETS_URL: ours.service.apiUrl,
  PACKETS_TOKEN: ours.service.tokens.all as string,
  PACKETS_ORIGIN_URL: neo4j.boltUrl,
  PACKETS_ORIGIN_USER: neo4j.username,
  PACKETS_ORIGIN_PASSWORD: neo4j.password,
  PACKETS_TARGET_PASSWORD: target.password,
})

/** A copy of everything, or a second one, of what has changed since the first. */
function copied(isDelta: boolean) {
  return async (setting: Setting): Promise<Measured> => {
    const { run, ours } = setting
    const whole = await openWhole(setting, 'all')
    const [base, name] = [newFile(), newFile()]
    const state = ['--state', join(run.directory, `${base}-state.json`)]
    const into = ['--to', whole.target.boltUrl, '--user', whole.target.username, '--lanes', '4', ...state]
    const copy = (...words: string[]) => ({
      args: [fileOf('client', true), 'copy', '--select', whole.label, '--org', orgName, ...into, ...words],
      env: environmentOf(setting, whole),
    })
    const first = copy('--as-base', '--name', base)
    const worker = await ours.service.startWorker()
    try {
      if (!isDelta) await published(setting, ours, [worker], warmUpOf(setting))
      await clear(whole.target)
      if (!isDelta) return await measure(setting, whole, [first], [worker.pid])
      await execute(run, first)
      await changeOnePercent(setting)
      const delta = copy('--base', base, '--delete-missing', '--name', name)
      return await measure(setting, whole, [delta], [worker.pid])
    } finally {
      await tidy(ours)
      await worker.stop(20_000)
    }
  }
}

function by(way: CopyWay, size: Size) {
  return async (setting: Setting): Promise<Measured> => {
    const { run, neo4j } = setting
    const whole = await openWhole(setting, size)
    const { label, target } = whole
    await clear(target)
    const order: CopierOrder = { way, label, origin: neo4j, target, shell: await cypherShell(run) }
    const env = { COPIER_ORDER: JSON.stringify(order) }
    return measure(setting, whole, [{ args: ['test/bench/copier.ts'], env }])
  }
}

/** Runs the commands one after the other, and compares the two graphs. */
async function measure(
  { run, neo4j, redis, s3, ours }: Setting,
  whole: Whole,
  commands: readonly Command[],
  workers: readonly number[] = [],
): Promise<Measured> {
  const used = countCpu({
    client: workers,
    database: [neo4j.pid, whole.target.pid],
    others: [redis.pid, s3.pid, ours.service.api.pid],
  })
  const childrenBefore = childrenCpuSeconds()
  const started = performance.now()
  for (const command of commands) await execute(run, command)
  const seconds = (performance.now() - started) / 1_000
  const { client, database, others } = used()
  const clientCpu = client + childrenCpuSeconds() - childrenBefore
  await requireEqual(neo4j, whole)
  return { statements: whole.entities, seconds, clientCpu, databaseCpu: database, othersCpu: others }
}

let executed = 0

async function execute(run: Run, { args, env }: Command): Promise<void> {
  const started = await run.start({
    name: `whole-job-${executed++}`,
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH, ...env },
    cwd: join(import.meta.dirname, '../..'),
  })
  const exit = await started.exited
  if (exit.code !== 0) throw new Error(`${args.slice(0, 2).join(' ')}: ${describeExit(exit)}\n${started.tail()}`)
}
