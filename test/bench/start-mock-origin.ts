import { setTimeout as delay } from 'node:timers/promises'
import type { Neo4jAddress } from '../../dev/stack/addresses.ts'
import type { Run } from '../../dev/stack/run.ts'

/** Starts a mock of this database. `recording` and `replaying` are its two addresses, `host:port`. */
export async function startMockOrigin(run: Run, { boltUrl }: Neo4jAddress, delayMs = 0) {
  const { hostname: host, port } = new URL(boltUrl)
  const server = await run.start({
    name: 'mock-origin',
    command: process.execPath,
    args: ['test/bench/mock-origin.ts'],
    env: { PATH: process.env.PATH, MOCK_ORIGIN: JSON.stringify({ host, port: Number(port), delayMs }) },
    cwd: `${import.meta.dirname}/../..`,
  })
  while (!server.log().includes('\n')) {
    if (server.hasExited()) throw new Error(`the mock origin did not start:\n${server.tail()}`)
    await delay(50)
  }
  const ports: { recording: number; replaying: number } = JSON.parse(server.log().split('\n')[0] as string)
  return { server, recording: `127.0.0.1:${ports.recording}`, replaying: `127.0.0.1:${ports.replaying}` }
}
