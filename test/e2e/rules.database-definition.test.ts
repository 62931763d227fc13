import { expect, test } from 'vitest'
import { badName, startFromValid } from '../support/clients/refusals.ts'

const { client, org, request, refuses } = await startFromValid()
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const entry = (change: object) => ({ mappedIndices: { ...request.mappedIndices, ...change } })

const boltForm = 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else'
const embedded = 'must not have an IPv6 address that carries an IPv4 address'
const fourNumbers = 'must write an IPv4 address as four decimal numbers'

test.each([
  ['bolt', ''],
  ['a bare address', '127.0.0.1:7687'],
  ['another protocol', 'http://127.0.0.1:7687'],
  ['unverified encryption', 'bolt+ssc://127.0.0.1'],
  ['unverified encryption and routing', 'neo4j+ssc://127.0.0.1'],
  ['a scheme in upper case', 'NEO4J://127.0.0.1'],
  ['no host', 'bolt://'],
  ['a user and a password', 'bolt://user:pass@127.0.0.1'],
  ['a path', 'bolt://127.0.0.1/neo4j'],
  ['a query', 'bolt://127.0.0.1?policy=eu'],
  ['a fragment', 'bolt://127.0.0.1:7687#a'],
  ['a line break', 'bolt://127.0.0.1\n'],
])('a dbUrl with %s is malformed: %j', async (_what, dbUrl) => {
  await refuses({ dbUrl }, `dbUrl: ${boltForm}`)
})

test.each([
  ['neo4j://127.0.0.1:0', 'must have a port from 1 to 65535'],
  ['neo4j+s://127.1', fourNumbers],
  ['bolt://127.0.0.1:0', 'must have a port from 1 to 65535'],
  ['bolt://127.0.0.1:65536', 'must have a port from 1 to 65535'],
  ['bolt://-db.example', 'must have a valid host name'],
  ['bolt://db..example', 'must have a valid host name'],
  ['bolt://127.1', fourNumbers],
  ['bolt://2130706433', fourNumbers],
  ['bolt://0x7f000001', fourNumbers],
  ['bolt://[:::]', 'must have a valid IPv6 address in brackets'],
  ['bolt://[::ffff:127.0.0.1]:7687', embedded],
  ['bolt://[::ffff:7f00:1]', embedded],
  ['bolt://[64:ff9b::7f00:1]', embedded],
  ['bolt://[2002:7f00:1::]', embedded],
])('the dbUrl %s is refused: %s', async (dbUrl, message) => {
  await refuses({ dbUrl }, `dbUrl: ${message}`)
})

test.each([
  ['another scheme', 'Bearer cmVhZGVyOnBhc3M='],
  ['no scheme', 'cmVhZGVyOnBhc3M='],
  ['nothing after the scheme', 'Basic '],
  ['the clear text', 'Basic reader:pass'],
  ['no colon inside', basic('reader')],
  ['something behind', `${basic('reader:pass')}\n`],
])('credentials with %s are refused', async (_what, credentials) => {
  await refuses({ credentials }, 'credentials: must be "Basic " followed by the base64 of username:password')
})

const disagrees = 'mappedIndices.Person: must agree with DEFAULT_ID_FIELD, as DEFAULT_INDEX names this label'

test.each([
  [
    'without DEFAULT_INDEX',
    entry({ DEFAULT_INDEX: undefined }),
    'mappedIndices.DEFAULT_INDEX: required, the label of originIds',
  ],
  [
    'without DEFAULT_ID_FIELD',
    entry({ DEFAULT_ID_FIELD: undefined }),
    'mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes',
  ],
  [
    'with nothing in it',
    { mappedIndices: {} },
    'mappedIndices.DEFAULT_INDEX: required, the label of originIds; mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes',
  ],
  ['that is a list', { mappedIndices: [] }, 'mappedIndices: must be an object'],
  ['that is a text', { mappedIndices: 'Person' }, 'mappedIndices: must be an object'],
  ['with a number', entry({ Movie: 7 }), 'mappedIndices.Movie: must be a string'],
  ['with null as a value', entry({ Movie: null }), 'mappedIndices.Movie: must be a string'],
  ['with an empty id property', entry({ Movie: '' }), `mappedIndices.Movie: ${badName}`],
  ['with an empty default', entry({ DEFAULT_INDEX: '' }), `mappedIndices.DEFAULT_INDEX: ${badName}`],
  ['with an empty label', entry({ '': 'id' }), `mappedIndices.: ${badName}`],
  ['with a backslash in a label', entry({ 'Mo\\vie': 'title' }), `mappedIndices.Mo\\vie: ${badName}`],
  ['with a lone surrogate', entry({ Movie: '\ud800' }), `mappedIndices.Movie: ${badName}`],
  ['whose default label has another id property', entry({ Person: 'name' }), disagrees],
])('mappedIndices %s is refused', async (_what, change, message) => {
  await refuses(change, message)
})

test.each(['Actor', 'person', 'DEFAULT_INDEX', 'DEFAULT_ID_FIELD', 'toString', 'constructor', '__proto__'])(
  'the index %s, which mappedIndices does not have, is refused',
  async (index) => {
    await refuses({ index }, 'index: must be a label in mappedIndices or the value of DEFAULT_INDEX')
  },
)

test.each([
  ['dbUrl', ''],
  ['credentials', ''],
  ['mappedIndices', ' unless model or select is given'],
])('%s is required%s, and null is the same as absent', async (field, unless) => {
  await refuses({ [field]: null }, `${field}: required${unless}`)
  await refuses({ [field]: undefined }, `${field}: required${unless}`)
})

test.each(['dbUrl', 'credentials'])('%s must be a string', async (field) => {
  await refuses({ [field]: 7 }, `${field}: must be a string`)
})

test('the refused requests of this file left nothing to read', async () => {
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
