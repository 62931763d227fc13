import type { Server } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../../../shared/lifecycle/listen.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { createLog } from '../../../shared/observability/log.ts'

const log = createLog('test', 'silent')

class SeenReleases extends Releases {
  readonly held: unknown[] = []
  override add<T>(name: string, resource: T, release: (resource: T) => unknown, limitMs?: number): T {
    this.held.push(resource)
    return super.add(name, resource, release, limitMs)
  }
}

const releases = new SeenReleases(log)
afterAll(() => releases.dispose())

test('an idle connection is kept for more than a minute, and slow requests time out', async () => {
  await listen((_request, response) => void response.end(), { host: '127.0.0.1', port: 0 }, log, releases)
  const [server] = releases.held as [Server]
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
  // An idle keep-alive connection must not run into the headers timeout.
  expect(server.headersTimeout).toBeGreaterThan(server.keepAliveTimeout)
  expect(server.requestTimeout).toBeGreaterThan(server.headersTimeout)
})
