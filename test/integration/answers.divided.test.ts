import { afterAll, describe, expect, inject, test } from 'vitest'
import { connect, inSession } from '../../client/replay/run/connection.ts'
import { database } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openManagerDatabase } from '../../shared/models/database.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { startDividingProxy } from '../support/faults/dividing-proxy.ts'
import { readRows } from '../support/origins/read-rows.ts'
import { targetOf } from '../support/replay/replaying.ts'

/** TCP may divide what a database sends at any byte. */
const { neo4j, legacy } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)

const everyByte = (at: number) => at + 1
const longestHandshake = 32
const handshakeByByte = (at: number) => (at < longestHandshake ? at + 1 : Number.POSITIVE_INFINITY)
const twoPieces = (size: number) => (at: number) => (at < size ? size : Number.POSITIVE_INFINITY)

async function divided(address: Neo4jAddress, endOf: (at: number) => number): Promise<Neo4jAddress> {
  const proxy = await startDividingProxy(address.boltUrl, endOf)
  afterAll(() => proxy.close())
  return { ...address, boltUrl: proxy.boltUrl }
}

/** The rows of a query, read as a publish does. */
async function rowsOf(address: Neo4jAddress, query: string) {
  const { dbUrl, credentials } = database(address, '', '')
  const { port } = new URL(address.boltUrl)
  const allow = [
    { kind: 'network' as const, address: '127.0.0.1', prefix: 32, family: 'ipv4' as const, port: Number(port) },
  ]
  const origin = await openOrigin({ dbUrl, credentials }, { ...settings, allow }, 60)
  return readRows(origin, query).finally(() => origin.close())
}

const everyKind = `UNWIND range(1, 5) AS i RETURN i, 1.5, 'text ' + toString(i), [true, null, i], date('2024-02-29'),
  datetime('2024-07-01T12:00+02:00'), duration('P1M2DT3S'), point({x: 1, y: 2}), {key: i}`

const origins: [string, Neo4jAddress][] = [
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as Neo4jAddress],
]

describe.each(origins)('%s', (version, address) => {
  test(`${version}: an origin whose answers arrive byte by byte is read`, { timeout: 120_000 }, async () => {
    const whole = await rowsOf(address, everyKind)
    expect(await rowsOf(await divided(address, everyByte), everyKind)).toEqual(whole)
  })

  test(`${version}: an origin is read wherever its first bytes are divided in two`, { timeout: 120_000 }, async () => {
    for (let size = 1; size <= longestHandshake; size++)
      expect(await rowsOf(await divided(address, twoPieces(size)), 'RETURN 1')).toEqual([[1n]])
  })

  test(`${version}: a target is written although its handshake arrives byte by byte`, async () => {
    const connection = connect(targetOf(await divided(address, handshakeByByte)))
    const { records } = await inSession(connection, (session) => session.run('RETURN 1 AS one'))
    expect(records.map((record) => record.get('one'))).toEqual([1n])
    await connection.close()
  })

  test(`${version}: the manager database answers although its handshake arrives byte by byte`, async () => {
    const { boltUrl: url, username: user, password } = await divided(address, handshakeByByte)
    const manager = openManagerDatabase({ url, user, password }, { warn() {} })
    afterAll(() => manager.close())
    expect(await manager.read({ query: 'RETURN 1', parameters: {} })).toEqual([[1]])
  })
})
