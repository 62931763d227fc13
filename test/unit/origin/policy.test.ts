import { describe, expect, test } from 'vitest'
import { parseOriginAllow } from '../../../shared/config/lists.ts'
import { parseDbUrl } from '../../../shared/origin/db-url.ts'
import { checkedAddress } from '../../../shared/origin/policy.ts'

/** The address allowed by the policy, or the error code. */
async function verdict(dbUrl: string, allow: string | null): Promise<string> {
  const url = parseDbUrl(dbUrl)
  if ('problem' in url) return expect.unreachable(url.problem)
  const policy = { allow: allow === null ? null : parseOriginAllow(allow), port: 7687, dnsServers: null }
  return checkedAddress(url, policy).catch((error) => error.code)
}

describe('without ORIGIN_ALLOW only public addresses are origins', () => {
  const reserved = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['168.63.129.16', '168.63.129.16'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
  ]
  test.each(reserved)('without ORIGIN_ALLOW, addresses from %s to %s are not origins', async (first, last) => {
    expect(await verdict(`bolt://${first}`, null)).toBe('dbUrlRefused')
    expect(await verdict(`bolt://${last}`, null)).toBe('dbUrlRefused')
  })

  test.each([
    ['1.0.0.0', '9.255.255.255'],
    ['11.0.0.0', '100.63.255.255'],
    ['100.128.0.0', '126.255.255.255'],
    ['128.0.0.0', '168.63.129.15'],
    ['168.63.129.17', '169.253.255.255'],
    ['169.255.0.0', '172.15.255.255'],
    ['172.32.0.0', '191.255.255.255'],
    ['192.0.1.0', '192.0.1.255'],
    ['192.0.3.0', '192.88.98.255'],
    ['192.88.100.0', '192.167.255.255'],
    ['192.169.0.0', '198.17.255.255'],
    ['198.20.0.0', '198.51.99.255'],
    ['198.51.101.0', '203.0.112.255'],
    ['203.0.114.0', '223.255.255.255'],
  ])('without ORIGIN_ALLOW, addresses from %s to %s are origins', async (first, last) => {
    expect(await verdict(`bolt://${first}`, null)).toBe(first)
    expect(await verdict(`bolt://${last}`, null)).toBe(last)
  })

  test.each([
    '::1',
    '::ffff:0:7f00:1',
    '100::1',
    '1fff:ffff::1',
    '2001::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('without ORIGIN_ALLOW, %s is not an origin', async (address) => {
    expect(await verdict(`bolt://[${address}]`, null)).toBe('dbUrlRefused')
  })

  test.each(['2000::1', '2001:200::1', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700::1111', '2a00::1'])(
    'without ORIGIN_ALLOW, %s is an origin',
    async (address) => {
      expect(await verdict(`bolt://[${address}]`, null)).toBe(address)
    },
  )

  test('without ORIGIN_ALLOW, a name that resolves to a reserved address is not an origin', async () => {
    expect(await verdict('bolt://localhost', null)).toBe('dbUrlRefused')
  })

  test('without ORIGIN_ALLOW, only port 7687 is allowed, for any address', async () => {
    expect(await verdict('bolt://8.8.8.8:7688', null)).toBe('dbUrlPortRefused')
    expect(await verdict('bolt://127.0.0.1:7688', null)).toBe('dbUrlPortRefused')
    expect(await verdict('bolt://8.8.8.8:7687', null)).toBe('8.8.8.8')
  })
})

describe('ORIGIN_ALLOW', () => {
  const resolved = ['127.0.0.1', '::1']

  test('ORIGIN_ALLOW allows a host by name, at any address, and no other host', async () => {
    expect(resolved).toContain(await verdict('bolt://LOCALHOST', 'localhost'))
    expect(await verdict('bolt://127.0.0.1', 'localhost')).toBe('dbUrlRefused')
    expect(await verdict('bolt://8.8.8.8', 'localhost')).toBe('dbUrlRefused')
    expect(await verdict('bolt://sub.localhost', 'localhost')).toBe('dbUrlRefused')
  })

  test('ORIGIN_ALLOW allows subdomains of a suffix, but not the suffix itself or names that end alike', async () => {
    expect(await verdict('bolt://localhost', '*.localhost')).toBe('dbUrlRefused')
    expect(await verdict('bolt://my-localhost', '*.localhost')).toBe('dbUrlRefused')
  })

  test('ORIGIN_ALLOW allows addresses and networks of either family', async () => {
    expect(await verdict('bolt://10.1.2.3', '10.1.2.3')).toBe('10.1.2.3')
    expect(await verdict('bolt://10.1.2.4', '10.1.2.3')).toBe('dbUrlRefused')
    expect(await verdict('bolt://10.1.255.255', '10.1.0.0/16')).toBe('10.1.255.255')
    expect(await verdict('bolt://10.2.0.0', '10.1.0.0/16')).toBe('dbUrlRefused')
    expect(await verdict('bolt://[fd00::7]', '10.1.0.0/16,[fd00::]/8')).toBe('fd00::7')
    expect(await verdict('bolt://[fe80::7]', '10.1.0.0/16,[fd00::]/8')).toBe('dbUrlRefused')
  })

  test('ORIGIN_ALLOW allows an IPv6 address in any notation', async () => {
    expect(await verdict('bolt://[FD00:0::0007]', '[fd00::7]')).toBe('fd00:0::0007')
  })

  test('ORIGIN_ALLOW allows a name if all its addresses are in an allowed network', async () => {
    expect(resolved).toContain(await verdict('bolt://localhost', '127.0.0.0/8,[::1]'))
    expect(await verdict('bolt://localhost', '10.0.0.0/8')).toBe('dbUrlRefused')
  })

  test('ORIGIN_ALLOW replaces the default of public addresses', async () => {
    expect(await verdict('bolt://8.8.8.8', '10.0.0.0/8')).toBe('dbUrlRefused')
    expect(await verdict('bolt://8.8.8.8', '')).toBe('dbUrlRefused')
  })

  test('ORIGIN_ALLOW allows only port 7687 for a rule without a port', async () => {
    expect(await verdict('bolt://10.1.2.3:7688', '10.0.0.0/8')).toBe('dbUrlRefused')
    expect(await verdict('bolt://localhost:7688', 'localhost')).toBe('dbUrlRefused')
    expect(await verdict('bolt://10.1.2.3:7687', '10.0.0.0/8')).toBe('10.1.2.3')
    expect(resolved).toContain(await verdict('bolt://localhost:7687', 'localhost'))
  })

  test('ORIGIN_ALLOW allows only the port of a rule that has one', async () => {
    expect(await verdict('bolt://10.1.2.3:9999', '10.1.2.3:9999')).toBe('10.1.2.3')
    expect(await verdict('bolt://10.1.2.3:7687', '10.1.2.3:9999')).toBe('dbUrlRefused')
    expect(await verdict('bolt://10.1.2.3:9999', '10.0.0.0/8:9999')).toBe('10.1.2.3')
    expect(await verdict('bolt://10.1.2.4:9999', '10.1.2.3:9999,10.0.0.0/8')).toBe('dbUrlRefused')
    expect(await verdict('bolt://localhost:7687', 'localhost:9999')).toBe('dbUrlRefused')
    expect(await verdict('bolt://[fd00::7]:9999', '[fd00::]/8:9999')).toBe('fd00::7')
  })
})

test('a rejection is a 422 that names the setting but no address', async () => {
  const host = { encrypted: false, host: '10.1.2.3' }
  await expect(
    checkedAddress({ ...host, port: 7687 }, { allow: null, port: 7687, dnsServers: null }),
  ).rejects.toMatchObject({
    status: 422,
    message: 'dbUrl: this address is not allowed; add it to ORIGIN_ALLOW to allow it',
  })
  await expect(
    checkedAddress({ ...host, port: 9999 }, { allow: null, port: 7687, dnsServers: null }),
  ).rejects.toMatchObject({
    status: 422,
    message: 'dbUrl: this port is not allowed; add the host with this port to ORIGIN_ALLOW to allow it',
  })
})
