import type { Config } from '../shared/config/config.ts'
import { listen } from '../shared/lifecycle/listen.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { startProgram } from '../shared/lifecycle/start-program.ts'
import { separateMetrics } from '../shared/observability/health-server.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createApp } from './app.ts'
import { createApiContext } from './context.ts'
import { problemsOfFiles } from './files-of-settings.ts'
import { apiHealth } from './health.ts'
import { answerUnreadable } from './http/body/unreadable.ts'

await startProgram('api', start, problemsOfFiles)

async function start(config: Config, log: Logger, releases: Releases): Promise<void> {
  const context = await createApiContext(config, log, releases)
  const graceMs = config.api.stopGraceSeconds * 1_000
  const health = await separateMetrics(apiHealth(context), config.metrics, log, releases)
  await listen(createApp(context, health), config.api, log, releases, {
    graceMs,
    onUnreadable: answerUnreadable(context),
  })
  releases.add('waiting clients', context.finished, (it) => it.release())
}
