import { freePort } from '../../dev/stack/ports.ts'
import { type CpuProfile, startProfile } from './inspector.ts'
import type { Lane } from './lanes.ts'
import { allNodes, warmUpOf } from './publish-lanes.ts'
import { published } from './publishing.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'

/** Breaks down a worker's CPU time: samples it while it publishes, and attributes each sample to the calling code. */
export const profileLane: Lane = {
  name: 'profile',
  unit: 'pairs',
  what: 'multi of all nodes, one worker under a profiler',
  most: 3,
  async measure(setting: Setting): Promise<Measured> {
    const { ours } = setting
    const port = await freePort()
    const worker = await ours.service.startWorker({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` })
    try {
      await published(setting, ours, [worker], warmUpOf(setting))
      const profile = await startProfile(port)
      const measured = await published(setting, ours, [worker], allNodes(setting))
      return { ...measured, ...sharesOf(await profile.stop()) }
    } finally {
      await worker.stop(20_000)
    }
  },
}

/** Code areas by path; the first match wins. */
const areas: readonly [name: string, file: RegExp][] = [
  ['requestShare', /\/shared\/jobs\/stored\/stored-request\.ts$/],
  ['queueShare', /\/node_modules\/(bullmq|ioredis|@ioredis\/[^/]+|redis-parser|redis-errors|msgpackr|cron-parser)\//],
  ['queueShare', /\/shared\/(jobs|queue|redis)\/|\/worker\//],
  ['driverShare', /\/node_modules\/neo4j-driver/],
  ['storeShare', /\/node_modules\/minio\/|\/shared\/(storage|store)\//],
  ['publishShare', /\/packet\/|\/shared\/(publish|request|read|origin)\//],
]

/**
 * Shares of the worker's non-idle time. A sample belongs to the innermost file on its stack outside Node itself, so a
 * library's socket writes count as the library's. Samples without one (garbage collection, Node's own I/O) belong to no
 * area but count in the total.
 */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Record<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const areaOf = (start: number): string | null => {
    for (let id: number | undefined = start; id !== undefined; id = parents.get(id)) {
      const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {}
      if (functionName === '(idle)') return 'idle'
      if (url.startsWith('file:')) return areas.find(([, file]) => file.test(url))?.[0] ?? 'otherShare'
    }
    return null
  }
  const times = Object.fromEntries([...areas.map(([name]) => name), 'otherShare'].map((name) => [name, 0]))
  let busy = 0
  for (const [index, sample] of samples.entries()) {
    const area = areaOf(sample)
    const took = timeDeltas[index] ?? 0
    if (area === 'idle') continue
    busy += took
    if (area !== null) times[area] = (times[area] ?? 0) + took
  }
  return Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time / busy]))
}
