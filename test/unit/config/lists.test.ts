import { describe, expect, test } from 'vitest'
import { parseOriginAllow, parseSecretKeys } from '../../../shared/config/lists.ts'

const key = (byte: number) => Buffer.alloc(32, byte)
const base64 = (byte: number) => key(byte).toString('base64')

describe('secret keys', () => {
  test('secret keys are parsed in order; the first one encrypts', () => {
    expect(parseSecretKeys(`2026-07:${base64(2)}, old_1:${base64(1)}`)).toEqual([
      { id: '2026-07', key: key(2) },
      { id: 'old_1', key: key(1) },
    ])
  })

  test.each([
    ['', 'entry 1 must be kid:base64key'],
    [base64(1), 'entry 1 must be kid:base64key'],
    [`:${base64(1)}`, 'entry 1 must be kid:base64key'],
    [`k 1:${base64(1)}`, 'entry 1 must be kid:base64key'],
    [`k1:${base64(1)},`, 'entry 2 must be kid:base64key'],
    [`k1:${base64(1)},k2:not base64`, 'entry 2 must be kid:base64key'],
    [`k1:${Buffer.alloc(16, 1).toString('base64')}`, 'the key of "k1" must be 32 bytes'],
    [`k1:${Buffer.alloc(33, 1).toString('base64')}`, 'the key of "k1" must be 32 bytes'],
  ])('secret keys are rejected without being shown: %s', (text, message) => {
    expect(() => parseSecretKeys(text)).toThrow(new Error(message))
  })
})

describe('the allow list of origins', () => {
  test.each([
    ['db.example', { kind: 'host', host: 'db.example', port: null }],
    ['DB.Example:7688', { kind: 'host', host: 'db.example', port: 7688 }],
    ['*.db.example', { kind: 'suffix', suffix: '.db.example', port: null }],
    ['*.db.example:7688', { kind: 'suffix', suffix: '.db.example', port: 7688 }],
    ['10.1.2.3', { kind: 'network', address: '10.1.2.3', prefix: 32, family: 'ipv4', port: null }],
    ['10.0.0.0/8', { kind: 'network', address: '10.0.0.0', prefix: 8, family: 'ipv4', port: null }],
    ['10.0.0.0/8:7688', { kind: 'network', address: '10.0.0.0', prefix: 8, family: 'ipv4', port: 7688 }],
    ['0.0.0.0/0', { kind: 'network', address: '0.0.0.0', prefix: 0, family: 'ipv4', port: null }],
    ['[FD00::1]', { kind: 'network', address: 'fd00::1', prefix: 128, family: 'ipv6', port: null }],
    ['[fd00::]/8', { kind: 'network', address: 'fd00::', prefix: 8, family: 'ipv6', port: null }],
    ['[fd00::]/8:7688', { kind: 'network', address: 'fd00::', prefix: 8, family: 'ipv6', port: 7688 }],
  ])('the allow list of origins accepts %s', (text, rule) => {
    expect(parseOriginAllow(text)).toEqual([rule])
  })

  test('the allow list of origins is separated by commas, and ignores empty entries', () => {
    expect(parseOriginAllow(' a , ,b:1,')).toEqual([
      { kind: 'host', host: 'a', port: null },
      { kind: 'host', host: 'b', port: 1 },
    ])
    expect(parseOriginAllow('')).toEqual([])
  })

  test.each([
    ['db.example:0', '"db.example:0" is not a host, *.suffix or CIDR'],
    ['db.example:65536', '"db.example:65536" is not a host, *.suffix or CIDR'],
    ['db.example:', '"db.example:" is not a host, *.suffix or CIDR'],
    ['bolt://db.example', '"bolt://db.example" is not a host, *.suffix or CIDR'],
    ['fd00::1', '"fd00::1" is not a host, *.suffix or CIDR'],
    ['a,[fd00::1', '"[fd00::1" is not a host, *.suffix or CIDR'],
    ['db.example/8', '"db.example/8" is not a CIDR'],
    ['10.0.0.0/33', '"10.0.0.0/33" is not a CIDR'],
    ['[fd00::]/129', '"[fd00::]/129" is not a CIDR'],
    ['256.0.0.0/8', '"256.0.0.0/8" is not a CIDR'],
  ])('the allow list of origins rejects %s and names the entry', (text, message) => {
    expect(() => parseOriginAllow(text)).toThrow(new Error(message))
  })

  // Such an entry is a mistake: as a host it matches nothing, and `*.` matches every name with a trailing dot.
  test.each(['*', '*.', 'db.*', '*.*.example', 'a b', '[db.example]', '10.0.0.256', '127.1'])(
    'the allow list of origins rejects %s, which is not a valid host',
    (text) => {
      expect(() => parseOriginAllow(text)).toThrow()
    },
  )
})
