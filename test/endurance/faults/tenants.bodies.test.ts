import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendSlowly } from '../../support/clients/raw-http.ts'
import { openTenants } from '../../support/worlds/tenants.ts'

const { service, victim, unharmedBy } = await openTenants()
const { hostname, port } = new URL(service.apiUrl)
const bytes = 32 * 1024 * 1024
const head = (token: string | undefined) =>
  [
    'POST /1.0/publish/multi HTTP/1.1',
    ...['Host: x', 'Content-Type: application/json', `Content-Length: ${bytes}`, `Authorization: Bearer ${token}`],
    '\r\n',
  ].join('\r\n')

/** Announces a large body and sends only its first bytes. */
async function idle(token: string | undefined) {
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  socket.resume()
  socket.write(`${head(token)}[`)
  return socket
}

test('idle connections that announce large bodies harm no other org', { timeout: 120_000 }, async () => {
  const tokens = [service.tokens.attacker, service.tokens.all]
  const sockets = await Promise.all(tokens.flatMap((token) => Array.from({ length: 8 }, () => idle(token))))
  await unharmedBy(async () => {
    // A large body is received and read: only its request is not valid.
    expect((await victim.post('/1.0/publish/multi', [{ fileName: 'x'.repeat(2_000_000) }])).status).toBe(400)
    await delay(2_000)
  })
  for (const socket of sockets) socket.destroy()
})

test('a body that comes slower than 64 kB a second for ten seconds ends with 408', { timeout: 60_000 }, async () => {
  const more = ' '.repeat(4_000)
  const slow = await sendSlowly(service.apiUrl, `${head(service.tokens.attacker)}[`, more, 500, 40_000)
  expect(slow.answer).toMatch(/^HTTP\/1\.1 408 .*timed out receiving the request/s)
  expect(slow.isCut).toBe(true)
  expect(slow.milliseconds).toBeGreaterThan(9_000)
})
