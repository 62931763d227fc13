import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDbUrl } from '../../../shared/origin/db-url.ts'

describe('a dbUrl is parsed as', () => {
  test.each([
    ['bolt://db.example:7688', { encrypted: false, host: 'db.example', port: 7688 }],
    ['bolt+s://db.example', { encrypted: true, host: 'db.example', port: 7687 }],
    ['neo4j://db.example', { encrypted: false, host: 'db.example', port: 7687 }],
    ['neo4j+s://0a1b2c3d.databases.neo4j.io', { encrypted: true, host: '0a1b2c3d.databases.neo4j.io', port: 7687 }],
    ['bolt://DB.Example', { encrypted: false, host: 'db.example', port: 7687 }],
    ['bolt://localhost:1', { encrypted: false, host: 'localhost', port: 1 }],
    ['bolt://neo4j_1:65535', { encrypted: false, host: 'neo4j_1', port: 65_535 }],
    ['bolt://1.example', { encrypted: false, host: '1.example', port: 7687 }],
    ['bolt://0xcafe.example', { encrypted: false, host: '0xcafe.example', port: 7687 }],
    ['bolt://192.0.2.7', { encrypted: false, host: '192.0.2.7', port: 7687 }],
    ['bolt://[2001:DB8::7]:7688', { encrypted: false, host: '2001:db8::7', port: 7688 }],
    ['bolt://[::1]', { encrypted: false, host: '::1', port: 7687 }],
    ['bolt://[0:0:0:0:0:0:0:1]', { encrypted: false, host: '0:0:0:0:0:0:0:1', port: 7687 }],
  ])('the dbUrl %s is parsed into its parts', (text, expected) => {
    expect(parseDbUrl(text)).toEqual(expected)
  })
})

describe('a dbUrl is rejected', () => {
  test.each([
    'bolt://127.1',
    'bolt://127.0.1',
    'bolt://2130706433',
    'bolt://0',
    'bolt://0177.0.0.1',
    'bolt://127.0.0.01',
    'bolt://0x7f000001',
    'bolt://0X7F.0.0.1',
    'bolt://127.0.0.0x1',
    'bolt://0x',
    'bolt://256.0.0.1',
    'bolt://1.2.3.4.5',
    'bolt://127.0.0.1.',
    'bolt://127.1.',
  ])('a dbUrl is rejected for an IPv4 address that is not four decimal numbers: %s', (text) => {
    expect(parseDbUrl(text)).toEqual({ problem: 'must write an IPv4 address as four decimal numbers' })
  })

  test.each([
    'bolt://[::ffff:127.0.0.1]',
    'bolt://[::FFFF:7f00:1]',
    'bolt://[0:0:0:0:0:ffff:7f00:1]',
    'bolt://[::127.0.0.1]',
    'bolt://[::7f00:1]',
    'bolt://[::]',
    'bolt://[64:ff9b::7f00:1]',
    'bolt://[64:ff9b::127.0.0.1]',
    'bolt://[64:ff9b:1::7f00:1]',
    'bolt://[2002:7f00:1::]',
    'bolt://[2001:db8::127.0.0.1]',
  ])('a dbUrl is rejected for an IPv6 address that embeds an IPv4 address: %s', (text) => {
    expect(parseDbUrl(text)).toEqual({ problem: 'must not have an IPv6 address that carries an IPv4 address' })
  })

  test.each(['bolt://[127.0.0.1]', 'bolt://[1::2::3]', 'bolt://[12345::]', 'bolt://[1:2:3:4:5:6:7:8:9]', 'bolt://[:]'])(
    'a dbUrl is rejected for brackets without an IPv6 address: %s',
    (text) => {
      expect(parseDbUrl(text)).toEqual({ problem: 'must have a valid IPv6 address in brackets' })
    },
  )

  test.each([
    'bolt://-db.example',
    'bolt://db-.example',
    'bolt://db..example',
    'bolt://.example',
    'bolt://.',
    `bolt://${'a'.repeat(64)}.example`,
    `bolt://${'a.'.repeat(126)}ab`,
  ])('a dbUrl is rejected for an invalid host name: %s', (text) => {
    expect(parseDbUrl(text)).toEqual({ problem: 'must have a valid host name' })
  })

  test.each(['bolt://db.example:0', 'bolt://db.example:65536', 'bolt://db.example:99999'])(
    'a dbUrl is rejected for an invalid port: %s',
    (text) => {
      expect(parseDbUrl(text)).toEqual({ problem: 'must have a port from 1 to 65535' })
    },
  )

  test.each([
    'BOLT://db.example',
    'bolt:/db.example',
    'bolt://db.example:',
    'bolt://db.example:+1',
    'bolt://db.example:123456',
    'bolt://[fe80::1%25eth0]',
    'bolt://[::1',
    'bolt://::1',
    'bolt://db%2eexample',
    'bolt://dβ.example',
    'bolt://１２７.0.0.1',
    'bolt://db.example:7687/',
    'bolt://db.example?a=b',
    'bolt://@db.example',
    'bolt://evil\\db.example',
    'bolt://db.example,evil.example',
    'bolt://db.example\t',
  ])('a dbUrl is rejected for anything other than a scheme, a host and a port: %j', (text) => {
    expect(parseDbUrl(text)).toEqual({
      problem: 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
    })
  })

  test.each(['neo4j+ssc://db.example', 'bolt+ssc://db.example', 'Neo4j://db.example', 'neo4j+sx://db.example'])(
    'a dbUrl is rejected for a certificate that nobody checks, and for other schemes: %s',
    (text) => {
      expect(parseDbUrl(text)).toEqual({
        problem: 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
      })
    },
  )
})

test('an IPv4 address is accepted in exactly one notation', () => {
  fc.assert(
    fc.property(fc.ipV4Extended(), (address) => {
      const isDotted = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(address)
      const read = parseDbUrl(`bolt://${address}`)
      expect('host' in read ? read.host : null).toBe(isDotted ? address : null)
    }),
  )
})
