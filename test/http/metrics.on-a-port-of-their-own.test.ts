import { expect, test } from 'vitest'
import type { RunningProcess } from '../../dev/stack/processes.ts'
import { ownService } from '../support/programs/own-service.ts'

const { service } = await ownService({ workers: 1, env: { METRICS_PORT: '0' } })
const worker = service.workers[0] as RunningProcess
const portIn = (one: RunningProcess, message: string) =>
  new RegExp(`"port":(\\d+),"msg":"${message}"`).exec(one.log())?.[1] ?? expect.unreachable()

test.each([
  ['an API', service.api],
  ['a worker', worker],
])('with METRICS_PORT, %s serves /metrics there, and nowhere else', async (_name, program) => {
  const statuses = async (message: string) => {
    const paths = ['/metrics', '/livez', '/readyz', '/docs']
    const urls = paths.map((path) => `http://127.0.0.1:${portIn(program, message)}${path}`)
    return Promise.all(urls.map(async (url) => (await fetch(url)).status))
  }
  expect(await statuses('metrics server listening')).toEqual([200, 404, 404, 404])
  expect(await statuses('listening')).toEqual([404, 200, 200, program === worker ? 404 : 200])
})

test('the metrics on the port of their own are the metrics of the program', async () => {
  await fetch(`${service.apiUrl}/nothing`, { method: 'DELETE' })
  const url = `http://127.0.0.1:${portIn(service.api, 'metrics server listening')}/metrics`
  expect((await fetch(url)).headers.get('Content-Type')).toMatch(/^text\/plain/)
  const counted = 'packets_http_request_seconds_count{method="DELETE",route="none",status="404"} 1'
  // A request is counted after its answer.
  await expect.poll(async () => (await fetch(url)).text(), { timeout: 30_000 }).toContain(counted)
})
