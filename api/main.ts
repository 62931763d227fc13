import { listen } from '../shared/lifecycle/listen.ts'
import { startProgram } from '../shared/lifecycle/start-program.ts'
import { createApp } from './app.ts'
import { createApiContext } from './context.ts'

await startProgram('api', async (config, log, releases) => {
  const context = await createApiContext(config, log, releases)
  await listen(createApp(context), config.api, log, releases, { graceMs: config.api.stopGraceSeconds * 1_000 })
  releases.add('waiting clients', context.finished, (it) => it.release())
})
