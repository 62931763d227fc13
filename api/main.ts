import { listen } from '../shared/lifecycle/listen.ts'
import { startProgram } from '../shared/lifecycle/start-program.ts'
import { createApp } from './app.ts'
import { createApiContext } from './context.ts'
import { answerUnreadable } from './http/unreadable.ts'

await startProgram('api', async (config, log, releases) => {
  const context = await createApiContext(config, log, releases)
  const graceMs = config.api.stopGraceSeconds * 1_000
  await listen(createApp(context), config.api, log, releases, { graceMs, onUnreadable: answerUnreadable(context) })
  releases.add('waiting clients', context.finished, (it) => it.release())
})
