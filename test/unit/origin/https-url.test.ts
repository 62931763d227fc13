import { describe, expect, test } from 'vitest'
import { parseCallbackAllow, parseSecretKeys } from '../../../shared/config/lists.ts'
import { type HttpsUrl, parseHttpsUrl } from '../../../shared/origin/https-url.ts'
import { callbackAddress } from '../../../shared/queue/callback-address.ts'
import { brokenHosts, hostsOfOthers, malformedHosts } from '../../support/origins/hostile-hosts.ts'

const form = { problem: 'must be https://host[:port][/path][?query], without credentials or a fragment' }

describe('a URL to call back', () => {
  test.each([
    ['https://hooks.example', { host: 'hooks.example', port: 443, path: '/' }],
    ['https://Hooks.Example:8443/a//b/../c;d=e?x=/?&y=%2F@:', { port: 8443, path: '/a//b/../c;d=e?x=/?&y=%2F@:' }],
    ['https://hooks.example?x', { path: '/?x' }],
    ['https://[FD00::7]/', { host: 'fd00::7', path: '/' }],
    ['https://10.1.2.3/@127.0.0.1', { host: '10.1.2.3', path: '/@127.0.0.1' }],
  ])('the callback URL %s has these parts, the same as every parser finds', (text, parts) => {
    const url = parseHttpsUrl(text) as HttpsUrl
    expect(url).toMatchObject(parts)
    expect(new URL(text).hostname.replace(/^\[|\]$/g, '')).toBe(url.host)
  })

  test.each(Object.entries(malformedHosts))('a callback URL is refused by the rule "%s"', (problem, hosts) => {
    for (const host of hosts)
      for (const rest of ['', ':443', '/x'])
        expect([host, parseHttpsUrl(`https://${host}${rest}`)]).toEqual([host, { problem }])
  })

  test.each([
    ...brokenHosts.map((host) => `https://${host}/`),
    ...[
      'http://a/',
      'HTTPS://a/',
      'https:a',
      'https:/a',
      'https:///a',
      'https:\\\\a',
      ' https://a',
      'https://a ',
      '//a',
    ],
    ...[
      'https://a#b',
      'https://a/#',
      'https://a\\b',
      'https://a/\\b',
      'https://a/ b',
      'https://a/\n',
      'https://a/\r\nX: y',
    ],
    ...[
      'https://a/ä',
      'https://a/%',
      'https://a/%2',
      'https://a/%zz',
      'https://a/"',
      'https://a/<',
      'https://a/\u0000',
    ],
    ...['https://a:', 'https://a:+1/', 'https://a:123456/', 'https://', 'https://?x', 'javascript:alert(1)', ''],
  ])('a callback URL is refused by its form: %j', (text) => {
    expect(parseHttpsUrl(text)).toEqual(form)
  })

  test('a callback URL has a port from 1 to 65535 and at most 2,000 characters', () => {
    for (const port of ['0', '00000', '65536', '99999'])
      expect(parseHttpsUrl(`https://a:${port}/`)).toEqual({ problem: 'must have a port from 1 to 65535' })
    expect(parseHttpsUrl(`https://a/${'a'.repeat(1_990)}`)).toMatchObject({ host: 'a' })
    expect(parseHttpsUrl(`https://a/${'a'.repeat(1_991)}`)).toEqual({ problem: 'must be at most 2000 characters' })
  })
})

/** The checked address, or the code of the refusal. */
const verdict = (text: string, allow: string) =>
  callbackAddress(parseHttpsUrl(text) as HttpsUrl, {
    allow: parseCallbackAllow(allow),
    port: 443,
    dnsServers: null,
    secrets: parseSecretKeys(`c:${Buffer.alloc(32).toString('base64')}`),
  }).catch((error) => error.code)

describe('CALLBACK_ALLOW', () => {
  test.each(hostsOfOthers)('CALLBACK_ALLOW=* does not allow %s, nor does the name of another host', async (host) => {
    expect(await verdict(`https://${host}/`, '*')).toBe('callbackUrlRefused')
    expect(await verdict(`https://${host}/`, 'hooks.example,*.hooks.example')).toBe('callbackUrlRefused')
  })

  test('CALLBACK_ALLOW=* allows public addresses, on port 443 only', async () => {
    expect(await verdict('https://8.8.8.8/', '*')).toBe('8.8.8.8')
    expect(await verdict('https://8.8.8.8:8443/', '*')).toBe('callbackUrlRefused')
  })

  test('CALLBACK_ALLOW allows the port of a rule, and 443 for a rule without one', async () => {
    expect(await verdict('https://10.1.2.3/', '10.0.0.0/8')).toBe('10.1.2.3')
    expect(await verdict('https://10.1.2.3:8443/', '10.0.0.0/8')).toBe('callbackUrlRefused')
    expect(await verdict('https://10.1.2.3:8443/', '10.0.0.0/8:8443')).toBe('10.1.2.3')
    expect(await verdict('https://10.1.2.3/', '10.0.0.0/8:8443')).toBe('callbackUrlRefused')
  })

  test('a callback host that does not resolve has an error of its own', async () => {
    expect(await verdict('https://nothing.invalid/', 'nothing.invalid')).toBe('callbackUrlUnresolved')
  })
})
