import type { Lane } from './lanes.ts'
import { warmUpOf } from './publish-lanes.ts'
import { nodes, publishedByFresh, repeated, type Work } from './publishing.ts'
import type { Setting } from './setting.ts'
import { startMockOrigin } from './start-mock-origin.ts'

/** Takes the origin's CPU use out of the measurement: a separate process replays recorded answers. */
export const mockOriginLanes: Lane[] = [
  { name: 'mock-1', unit: 'pairs', what: 'a multi of nodes from a mock origin, one worker', measure: by(1), most: 2 },
  { name: 'mock-2', unit: 'pairs', what: 'the same, two workers', measure: by(2), most: 2 },
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
  const { server, recording, replaying } = await startMockOrigin(run, neo4j)
  const ours = await startOurs(4, { origins: [recording, replaying] })
  const at = (host: string): Setting => ({
    ...setting,
    ours,
    neo4j: { ...neo4j, boltUrl: `bolt://${host}`, pid: server.pid },
  })
  await publishedByFresh(at(recording), { ...someNodes(setting), workers: 1, warmUp: warmUpOf(setting) })
  return at(replaying)
}
