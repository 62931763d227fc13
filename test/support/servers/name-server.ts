import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { afterAll } from 'vitest'

const types = { 1: 'A', 28: 'AAAA' } as const

/** A DNS server for one test file: the same addresses for every name, or no answer. @returns its address. */
export async function nameServer(addresses: { A?: string[]; AAAA?: string[] }): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    const questionEnd = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(questionEnd - 4)
    const found = addresses[types[type as keyof typeof types]]
    if (found === undefined) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(found.length === 0 ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(found.length, 6)
    header.fill(0, 8)
    const answers = found.map((address) => {
      const data = bytesOf(address)
      const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length])
      return Buffer.concat([head, data])
    })
    server.send(Buffer.concat([header, query.subarray(12, questionEnd), ...answers]), from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())
  return `127.0.0.1:${server.address().port}`
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
