import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ownService } from '../../support/programs/own-service.ts'

const megabytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000

test.each(['api', 'worker'] as const)('an idle %s gives back the memory of its start, and answers', async (name) => {
  const { service } = await ownService({ workers: 0 })
  const program = name === 'api' ? (await service.startApi()).api : await service.startWorker()
  const started = megabytesOf(program.pid)
  await expect.poll(() => megabytesOf(program.pid), { timeout: 60_000 }).toBeLessThan(started - 5)
  const port = /"port":(\d+),"msg":"listening"/.exec(program.log())?.[1]
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(20_000) })
  expect(status).toBe(200)
})
