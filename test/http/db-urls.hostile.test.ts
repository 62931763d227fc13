import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { brokenHosts, hostsOfOthers, malformedHosts } from '../support/origins/hostile-hosts.ts'
import { listenOn } from '../support/origins/hostile-origins.ts'

const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

// A client that parses one of these forms differently would connect to one of these servers.
const listening = [await listenOn('127.0.0.1'), await listenOn('::1')]
const [port, port6] = listening.map((server) => server.port)
const portOf = (host: string) => (host.startsWith('[') ? port6 : port)
/** On the ports of both servers, as a client may read an address of either family. */
const boltTo = (hosts: readonly string[]) => hosts.flatMap((host) => [port, port6].map((at) => `bolt://${host}:${at}`))
const connections = () => listening.map((server) => server.connections())

const form = 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else'

const malformed: Record<string, readonly string[]> = {
  ...Object.fromEntries(Object.entries(malformedHosts).map(([rule, hosts]) => [rule, boltTo(hosts)])),
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
    ...boltTo(brokenHosts),
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
const refused = [...hostsOfOthers, '8.8.8.8', '[2606:4700::1111]'].flatMap((host) =>
  ['bolt', 'bolt+s', 'neo4j', 'neo4j+s'].map((scheme) => `${scheme}://${host}:${portOf(host)}`),
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
  test('a malformed dbUrl is refused with the message of its rule in every form, without a connection', async () => {
    for (const dbUrl of dbUrls) {
      expect([dbUrl, ...(await answersFor(dbUrl))]).toEqual([dbUrl, `400 Bad Request: dbUrl: ${rule}`])
    }
    expect(connections()).toEqual([0, 0])
  })
})

test('a dbUrl that is not allowed is refused with one message, whatever its target, without a connection', async () => {
  for (const dbUrl of refused) {
    const expected = '422 Unprocessable Entity: dbUrl: this address is not allowed; add it to ORIGIN_ALLOW to allow it'
    expect([dbUrl, ...(await answersFor(dbUrl))]).toEqual([dbUrl, expected])
  }
  expect(connections()).toEqual([0, 0])
})

test('none of these requests made a job or a file', async () => {
  expect((await client.get<{ jobs: object[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs).toEqual([])
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
