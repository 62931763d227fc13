import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { listenOn } from '../support/hostile-origins.ts'

const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

// A client that parses one of these forms differently would connect to one of these servers.
const listening = [await listenOn('127.0.0.1'), await listenOn('::1')]
const [port, port6] = listening.map((server) => server.port)
const connections = () => listening.map((server) => server.connections())

const form = 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else'
const decimal = 'must write an IPv4 address as four decimal numbers'
const carries = 'must not have an IPv6 address that carries an IPv4 address'
const brackets = 'must have a valid IPv6 address in brackets'
const name = 'must have a valid host name'

const malformed: Record<string, readonly string[]> = {
  [decimal]: [
    ...['2130706433', '0', '127.1', '127.0.1', '127.0.0.1.', '0177.0.0.1', '0177.1', '017700000001', '127.0.0.01'],
    ...['0x7f000001', '0X7F000001', '0x7f.0.0.1', '0x7f.1', '127.0.0.0x1', '127.0.0x1', '256.0.0.1', '1.2.3.4.5'],
  ].map((host) => `bolt://${host}:${port}`),
  [carries]: [
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::127.0.0.1', '::7f00:1', '::', '::ffff:0:0'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:7f00:0001::1'],
  ].map((host) => `bolt://[${host}]:${port}`),
  [brackets]: ['127.0.0.1', '2130706433', ':::1', '1::2::3', '::1::', 'g::1'.replace('g', '12345')].map(
    (host) => `bolt://[${host}]:${port6}`,
  ),
  [name]: ['-localhost', 'localhost-', 'local..host', '.localhost', 'localhost..', 'a'.repeat(64)].map(
    (host) => `bolt://${host}:${port}`,
  ),
  'must have a port from 1 to 65535': ['0', '00000', '65536', '99999'].map((at) => `bolt://127.0.0.1:${at}`),
  [form]: [
    ...[
      'BOLT',
      'Bolt+S',
      'bolt+ssc',
      'neo4j+ssc',
      'NEO4J',
      'Neo4j+S',
      'bolt%2Bs',
      'b%6flt',
      'http',
      'https',
      'redis',
      'file',
      'ftp',
      'javascript',
      '',
    ].map((scheme) => `${scheme}://127.0.0.1:${port}`),
    ...['[::1%25lo]', '[::1%lo]', '[fe80::1%25eth0]', '[::1', '::1]', '::1', '[]', '[[::1]]', '[::1]x', 'x[::1]'].map(
      (host) => `bolt://${host}:${port6}`,
    ),
    ...['user@127.0.0.1', 'user:word@127.0.0.1', '@127.0.0.1', 'db.example@127.0.0.1', '127.0.0.1@db.example'].map(
      (host) => `bolt://${host}:${port}`,
    ),
    ...[
      '127%2e0%2e0%2e1',
      'localhos%74',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '127。0。0。1',
      '127．0．0．1',
      '①②⑦.0.0.1',
    ].map((host) => `bolt://${host}:${port}`),
    ...[
      'lоcalhost',
      'ⓛocalhost',
      'localhost\u00ad',
      'local\u200bhost',
      '𝟙27.0.0.1',
      'loc\u0131alhost',
      'ＬＯＣＡＬＨＯＳＴ',
    ].map((host) => `bolt://${host}:${port}`),
    ...['127.0.0.1\t', '127.0.0.1\n', '\t127.0.0.1', '127.0.\n0.1', '127.0.0.1\r', ' 127.0.0.1', '127.0.0.1\u0000'].map(
      (host) => `bolt://${host}:${port}`,
    ),
    ...['/', '/?', '#', '?a=b', '/db', '/..', '\\', ';x', ',127.0.0.1', '&', '%20', ' ', '\n', ':', `:${port}`].map(
      (more) => `bolt://127.0.0.1:${port}${more}`,
    ),
    ...['', '+1', '-1', '0x1f', '1e3', '７６８７', ' 7687', '7687 ', '123456', '1.5'].map(
      (at) => `bolt://127.0.0.1:${at}`,
    ),
    ...['\\\\', '/', '///', ':/', ':', ''].map((slashes) => `bolt:${slashes}127.0.0.1:${port}`),
    ...[' ', '\t', '\n', '\u0000', '\ufeff'].map((before) => `${before}bolt://127.0.0.1:${port}`),
    `bolt://${'a'.repeat(100_000)}:${port}`,
  ],
}

// Well-formed, but not allowed here.
const refused = [
  ...['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '127.0.0.2', '0.0.0.0', '10.0.0.1', '192.168.0.1'],
  ...[
    '169.254.169.254',
    '100.100.100.200',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0:0:0:0::1]',
    '[fe80::1]',
    '[fd00::1]',
  ],
  ...['[fec0::1]', '[ff02::1]', '8.8.8.8', '[2606:4700::1111]', '255.255.255.255'],
].flatMap((host) =>
  ['bolt', 'bolt+s', 'neo4j', 'neo4j+s'].map((scheme) => `${scheme}://${host}:${host.startsWith('[') ? port6 : port}`),
)

const fields = { ...database(inject('stack').neo4j, 'Person', 'id'), originIds: ['1'], metadata: true, orgName: org }

/** The distinct answers of all ways to publish from it, without the multi's path to the field. */
async function answersFor(dbUrl: string): Promise<Set<string>> {
  const request = { ...fields, dbUrl }
  const answers = await Promise.all([
    client.post('/1.0/publish/', { ...request, returnOnly: true }),
    client.post('/1.0/publish/', { ...request, fileName: 'stored' }),
    client.post('/1.0/publish/multi', [{ ...request, fileName: 'multi' }]),
    client.post('/1.0/publish/multi', [{ ...request, returnOnly: true }]),
  ])
  return new Set(answers.map(({ body }) => body.error?.replace('[0].', '') ?? 'published'))
}

describe.each(Object.entries(malformed))('a dbUrl that breaks the rule "%s"', (rule, dbUrls) => {
  test('is refused with this message in every form, without a connection', async () => {
    for (const dbUrl of dbUrls) {
      expect([dbUrl, ...(await answersFor(dbUrl))]).toEqual([dbUrl, `400 Bad Request: dbUrl: ${rule}`])
    }
    expect(connections()).toEqual([0, 0])
  })
})

test('a dbUrl that is not allowed is refused with one message, whatever its target, without a connection', async () => {
  for (const dbUrl of refused) {
    const expected =
      '422 Unprocessable Entity: dbUrl: this address is not allowed here; the setting ORIGIN_ALLOW allows addresses'
    expect([dbUrl, ...(await answersFor(dbUrl))]).toEqual([dbUrl, expected])
  }
  expect(connections()).toEqual([0, 0])
})

test('none of these requests made a job or a file', async () => {
  expect((await client.get<{ jobs: object[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs).toEqual([])
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
