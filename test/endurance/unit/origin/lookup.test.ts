import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { limitConcurrency } from '../../../../shared/origin/limit-concurrency.ts'
import { createLookup } from '../../../../shared/origin/lookup.ts'
import { nameServer } from '../../../support/servers/name-server.ts'

const soon = () => AbortSignal.timeout(60_000)

const silent = createSocket('udp4').bind(0, '127.0.0.1')
await once(silent, 'listening')
let asked = 0
silent.on('message', () => asked++)
const silentServers = [`127.0.0.1:${silent.address().port}`]

const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
const hosts = join(folder, 'hosts')
writeFileSync(hosts, '# comment\n::1 Db.Example db\n10.0.0.7\tdb.example # db2\nfe80::1%lo0 db\nnonsense db\n')
afterAll(() => {
  silent.close()
  rmSync(folder, { recursive: true })
})

describe('a name', () => {
  test('a name in the hosts file resolves without the name servers', async () => {
    const lookup = createLookup(silentServers, hosts)
    expect(await lookup('db.example', soon())).toEqual(['10.0.0.7', '::1'])
    expect(await lookup('db', soon())).toEqual(['::1'])
    expect(asked).toBe(0)
  })

  test('localhost resolves without a name server or hosts file', async () => {
    expect(await createLookup(silentServers, '/nowhere')('localhost', soon())).toEqual(['127.0.0.1', '::1'])
  })

  test('a name resolves to all its IPv4 and IPv6 addresses', async () => {
    const servers = [await nameServer({ A: ['192.0.2.7', '10.0.0.9'], AAAA: ['2001:db8::7'] })]
    const found = await createLookup(servers)('db.example', soon())
    expect(found.toSorted()).toEqual(['10.0.0.9', '192.0.2.7', '2001:db8::7'])
    expect(await createLookup(servers)('db.example.', soon())).toHaveLength(3)
  })

  test('a name resolves to the addresses of one family if the other lookup fails', async () => {
    const servers = [await nameServer({ A: ['192.0.2.7'] })]
    expect(await createLookup(servers)('db.example', soon())).toEqual(['192.0.2.7'])
  })

  test('a name without records has no addresses', async () => {
    expect(await createLookup([await nameServer({ A: [], AAAA: [] })])('db.example', soon())).toEqual([])
  })
})

test('a hundred lookups at a silent name server time out, and block no thread of the pool', async () => {
  const lookup = createLookup(silentServers)
  const began = performance.now()
  const looking = Array.from({ length: 100 }, (_, index) => lookup(`silent${index}.example`, soon()))
  const times: number[] = []
  const measure = async () => {
    const started = performance.now()
    await stat(folder)
    times.push(performance.now() - started)
  }
  const measured: Promise<void>[] = []
  const measuring = setInterval(() => measured.push(measure()), 50)
  expect((await Promise.allSettled(looking)).map((one) => one.status === 'fulfilled' && one.value)).toEqual(
    looking.map(() => []),
  )
  clearInterval(measuring)
  // The folder is removed after this test.
  await Promise.all(measured)
  // One after the other, or four at a time, they would take minutes.
  expect(performance.now() - began).toBeLessThan(30_000)
  // The median: a pause of the machine makes a single one slow.
  expect(times.toSorted((a, b) => a - b)[times.length >> 1]).toBeLessThan(1_000)
})

describe('a concurrency limit', () => {
  test('a concurrency limit runs a limited number of calls at a time, in order of arrival', async () => {
    const run = limitConcurrency(2)
    const begun: number[] = []
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const done = works.map(({ promise }, index) =>
      run(soon(), () => {
        begun.push(index)
        return promise
      }),
    )
    await new Promise(setImmediate)
    expect(begun).toEqual([0, 1])
    works[1]?.reject(new Error('no'))
    await expect(done[1]).rejects.toThrow('no')
    expect(begun).toEqual([0, 1, 2])
    for (const { resolve } of works) resolve()
    await Promise.allSettled(done)
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  test('a concurrency limit stops waiting on abort, and the next call runs', async () => {
    const run = limitConcurrency(1)
    const first = Promise.withResolvers<void>()
    const holding = run(soon(), () => first.promise)
    const impatient = new AbortController()
    const late = run(impatient.signal, async () => 'late')
    impatient.abort(new Error('enough'))
    await expect(late).rejects.toThrow('enough')
    first.resolve()
    await holding
    expect(await run(soon(), async () => 'next')).toBe('next')
  })
})
