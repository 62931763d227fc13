import type { Lane } from './lanes.ts'
import { allNodes, warmUpOf } from './publish-lanes.ts'
import { publishedByFresh } from './publishing.ts'
import type { Ours, Setting } from './setting.ts'
import { startSlowPuts } from './slow-puts.ts'

/** All store requests, including the API's, pass a proxy that delays every PUT, or not. */
export const slowStoreLanes: Lane[] = [
  {
    name: 'put-0ms',
    unit: 'pairs',
    what: 'multi of all nodes, one worker, a proxy before the store',
    measure: behindProxy(0),
    most: 3,
  },
  { name: 'put-50ms', unit: 'pairs', what: 'the same, 50 ms more for every PUT', measure: behindProxy(50), most: 3 },
]

type SlowStore = { ours: Ours; proxy: Awaited<ReturnType<typeof startSlowPuts>> }
let slowStore: Promise<SlowStore> | undefined

/** Starts one API shared by all rounds. */
async function start({ s3, run, startOurs }: Setting): Promise<SlowStore> {
  const proxy = await startSlowPuts(s3.endpoint)
  run.onStop(proxy.stop)
  return { ours: await startOurs(1, { env: { S3_ENDPOINT: proxy.endpoint } }), proxy }
}

function behindProxy(delayMs: number) {
  return async (setting: Setting) => {
    slowStore ??= start(setting)
    const { ours, proxy } = await slowStore
    proxy.setDelay(delayMs)
    const work = { workers: 1, warmUp: warmUpOf(setting), ...allNodes(setting) }
    return publishedByFresh({ ...setting, ours }, work)
  }
}
