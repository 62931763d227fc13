import { setTimeout as delay } from 'node:timers/promises'
import type { Lane } from './lanes.ts'
import { warmUpOf } from './publish-lanes.ts'
import { nodes, publishedByFresh, repeated, type Work } from './publishing.ts'
import type { Setting } from './setting.ts'

/** Takes the origin's CPU use out of the measurement: a separate process replays recorded answers. */
export const mockOriginLanes: Lane[] = [
  { name: 'mock-1', unit: 'pairs', what: 'a multi of nodes from a mock origin, one worker', measure: by(1), most: 3 },
  { name: 'mock-2', unit: 'pairs', what: 'the same, two workers', measure: by(2), most: 3 },
]

const mostIds = 100_000
/** How often the nodes are repeated in one multi, so that it counts as large. */
const times = 3

let mock: Promise<Setting> | undefined

function by(workers: number) {
  return async (setting: Setting) => {
    mock ??= recorded(setting)
    return publishedByFresh(await mock, { ...repeated(someNodes(setting), times), workers, warmUp: warmUpOf(setting) })
  }
}

function someNodes({ ids: all }: Setting): Work {
  const ids = all.slice(0, mostIds)
  return { ids, options: nodes, pairs: ids.length }
}

/** Records all answers, then returns the setting with the mock as its database. */
async function recorded(setting: Setting): Promise<Setting> {
  const { run, neo4j, startOurs } = setting
  const { hostname: host, port } = new URL(neo4j.boltUrl)
  const server = await run.start({
    name: 'mock-origin',
    command: process.execPath,
    args: ['test/bench/mock-origin.ts'],
    env: { PATH: process.env.PATH, MOCK_ORIGIN: JSON.stringify({ host, port: Number(port) }) },
    cwd: `${import.meta.dirname}/../..`,
  })
  while (!server.log().includes('\n')) {
    if (server.hasExited()) throw new Error(`the mock origin did not start:\n${server.tail()}`)
    await delay(50)
  }
  const ports: { recording: number; replaying: number } = JSON.parse(server.log().split('\n')[0] as string)
  const hosts = [ports.recording, ports.replaying].map((port) => `127.0.0.1:${port}`) as [string, string]
  const ours = await startOurs(4, { origins: hosts })
  const at = (host: string): Setting => ({
    ...setting,
    ours,
    neo4j: { ...neo4j, boltUrl: `bolt://${host}`, pid: server.pid },
  })
  await publishedByFresh(at(hosts[0]), { ...someNodes(setting), workers: 1, warmUp: warmUpOf(setting) })
  return at(hosts[1])
}
