import { describe, expect, test } from 'vitest'
import { parseOriginAllow } from '../../../shared/config/lists.ts'
import { checkedAddress } from '../../../shared/origin/policy.ts'

/** The address allowed for a host name that resolves to `addresses`, or the error code. */
function verdict(addresses: readonly string[], allow: string | null = null): Promise<string> {
  const url = { encrypted: false, host: 'db.example', port: 7687 }
  const policy = { allow: allow === null ? null : parseOriginAllow(allow), port: 7687, dnsServers: null }
  return checkedAddress(url, policy, async () => [...addresses]).catch((error) => error.code)
}

describe('a name that resolves to an address in a reserved network is refused', () => {
  test.each([
    ['"this" network', '0.0.0.1', '0.255.255.255'],
    ['private 10/8', '10.0.0.0', '10.255.255.255'],
    ['shared address space of carriers', '100.64.0.0', '100.127.255.255'],
    ['loopback', '127.0.0.1', '127.255.255.255'],
    ['link-local, with the metadata of clouds', '169.254.0.0', '169.254.169.254'],
    ["Azure's host agent", '168.63.129.16', '168.63.129.16'],
    ['private 172.16/12', '172.16.0.0', '172.31.255.255'],
    ['IETF protocol assignments', '192.0.0.0', '192.0.0.255'],
    ['documentation 1', '192.0.2.0', '192.0.2.255'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255'],
    ['private 192.168/16', '192.168.0.0', '192.168.255.255'],
    ['benchmarking', '198.18.0.0', '198.19.255.255'],
    ['documentation 2', '198.51.100.0', '198.51.100.255'],
    ['documentation 3', '203.0.113.0', '203.0.113.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['future use', '240.0.0.0', '255.255.255.254'],
    ['unspecified', '0.0.0.0', '::'],
    ['broadcast', '255.255.255.255', '255.255.255.255'],
    ['loopback of IPv6', '::1', '0:0:0:0:0:0:0:1'],
    ['IPv4-compatible', '::2', '::7f00:1'],
    ['IPv4-mapped', '::ffff:8.8.8.8', '::ffff:7f00:1'],
    ['IPv4-translated', '::ffff:0:7f00:1', '::ffff:0:808:808'],
    ['NAT64, well-known prefix', '64:ff9b::', '64:ff9b::ffff:ffff'],
    ['NAT64, local prefix', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
    ['dummy prefix', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
    ['below global unicast', '200::1', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['IETF protocol assignments of IPv6', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation of IPv6', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation 2 of IPv6', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['above global unicast', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local of IPv6', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast of IPv6', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('a name that resolves to an address in a reserved network is refused: %s', async (_network, first, last) => {
    expect([await verdict([first]), await verdict([last])]).toEqual(['dbUrlRefused', 'dbUrlRefused'])
  })

  test.each([
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    '0177.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '010.8.8.8',
    '',
  ])('a name that resolves to %j, which is not an address in the form of a resolver, is refused', async (address) => {
    expect(await verdict([address])).toBe('dbUrlRefused')
  })
})

test.each(['8.8.8.8', '2606:4700::1111', '3ffe::1', '3fff:1000::1'])(
  'a name that resolves to the public address %s is an origin',
  async (address) => {
    expect(await verdict([address])).toBe(address)
  },
)

describe('a name with several addresses is refused if any of them is', () => {
  const [open, inner] = ['8.8.8.8', '10.0.0.7']
  const open6 = '2606:4700::1111'

  test.each([
    [open, inner],
    [inner, open],
    [open6, '::1'],
    ['fd00::7', open6],
  ])(
    'a name with several addresses is refused if any of them is, without ORIGIN_ALLOW: %s and %s',
    async (...addresses) => {
      expect(await verdict(addresses)).toBe('dbUrlRefused')
      expect(await verdict([open, open6])).toBe(open)
    },
  )

  test.each([
    [open, inner],
    [inner, open],
  ])(
    'a name with several addresses is refused if any of them is, with ORIGIN_ALLOW: %s and %s',
    async (...addresses) => {
      expect(await verdict(addresses, '10.0.0.0/8')).toBe('dbUrlRefused')
      expect(await verdict(addresses, '8.8.8.8')).toBe('dbUrlRefused')
      expect(await verdict(addresses, '10.0.0.0/8,8.8.8.8')).toBe(addresses[0])
      expect(await verdict(addresses, 'db.example')).toBe(addresses[0])
    },
  )
})
