import { listen } from '../shared/lifecycle/listen.ts'
import { startProgram } from '../shared/lifecycle/start-program.ts'
import { healthListener, separateMetrics } from '../shared/observability/health-server.ts'
import { consumeCallbacks } from './callbacks/consume-callbacks.ts'
import { consumeJobs } from './consume.ts'
import { createWorkerContext } from './context.ts'
import { workerHealth } from './health.ts'
import { startJanitor } from './janitor.ts'
import { watchLiveness } from './liveness.ts'

await startProgram('worker', async (config, log, releases) => {
  const context = await createWorkerContext(config, log, releases)
  const liveness = watchLiveness(context)
  const { healthHost: host, healthPort: port } = config.worker
  const health = await separateMetrics(workerHealth(context, liveness.isStuck), config.metrics, log, releases)
  await listen(healthListener(health), { host, port }, log, releases)
  startJanitor(context, releases)
  await consumeCallbacks(context, releases)
  await consumeJobs(context, releases)
  releases.add('liveness', liveness, (it) => it.stop())
})
