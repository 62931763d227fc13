import { expect, test } from 'vitest'
import { ownService } from '../../support/programs/own-service.ts'
import { residentMB } from '../../support/programs/watch-process.ts'

test.each(['api', 'worker'] as const)('an idle %s gives back the memory of its start, and answers', async (name) => {
  const { service } = await ownService({ workers: 0 })
  const program = name === 'api' ? (await service.startApi()).api : await service.startWorker()
  const started = residentMB(program.pid)
  await expect.poll(() => residentMB(program.pid), { timeout: 150_000 }).toBeLessThan(started - 5)
  const port = /"port":(\d+),"msg":"listening"/.exec(program.log())?.[1]
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(20_000) })
  expect(status).toBe(200)
})
