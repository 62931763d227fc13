import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test, vi } from 'vitest'
import { sendTogether } from '../../../../packet/packstream/send-together.ts'

test('what is written in one turn is sent together, in order, and later writes are sent too', async () => {
  const received: Buffer[] = []
  const server = createServer((socket) => socket.on('data', (bytes) => received.push(bytes))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  sendTogether(socket)
  const sent = [vi.spyOn(socket, '_write'), vi.spyOn(socket, '_writev' as never)]
  const sends = () => sent.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  for (const text of ['a', 'b', 'c']) socket.write(text)
  expect(sends()).toBe(0)
  await expect.poll(() => Buffer.concat(received).toString()).toBe('abc')
  expect(sends()).toBe(1)
  socket.write('d')
  await expect.poll(() => Buffer.concat(received).toString()).toBe('abcd')
  expect(sends()).toBe(2)
  socket.destroy()
  server.close()
})
