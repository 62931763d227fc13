import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { openOrigin } from '../../../shared/origin/connect.ts'

/** A server that chooses this version of Bolt, whatever is offered, and closes the connection. */
async function choosing(version: number[]) {
  const handshakes: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      handshakes.push(bytes.subarray(4).toString('hex'))
      socket.end(Buffer.from(version))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  afterAll(() => server.close())
  const policy = {
    allow: [{ kind: 'network', address: '127.0.0.0', prefix: 8, family: 'ipv4', port }] as const,
    ...{ port, silenceSeconds: 60, stallSeconds: 60, dnsServers: null },
  }
  const target = { dbUrl: `bolt://127.0.0.1:${port}`, credentials: `Basic ${btoa('user:password')}` }
  return { handshakes, open: () => openOrigin(target, { ...policy, allow: [...policy.allow] }, 60) }
}

const refusal = {
  code: 'originUnreachable',
  status: 502,
  message: 'the origin database could not be reached',
}

test('an origin that takes no offered version is offered Bolt 2 and 1, and refused if it takes none of these', async () => {
  const { handshakes, open } = await choosing([0, 0, 0, 0])
  await expect(open()).rejects.toMatchObject({
    ...refusal,
    cause: { message: 'the server does not speak Bolt 1, 2, 3, 4.2 to 4.4, 5 or 6' },
  })
  expect(handshakes).toEqual([expect.any(String), '00000002000000010000000000000000'])
})

test('an origin that chooses a version which was not offered is refused, and the cause names it', async () => {
  const { handshakes, open } = await choosing([0, 0, 9, 4])
  await expect(open()).rejects.toMatchObject({ ...refusal, cause: { message: expect.stringContaining('Bolt 4.9') } })
  expect(handshakes).toHaveLength(1)
})
