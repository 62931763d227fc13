import { expect, test } from 'vitest'
import { inSlices } from '../../dev/requests.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { prepare } from '../support/clients/e2e.ts'

const { client, org, ids, fields, driver } = await prepare(1_200)
const subRequests = (fileName: string, count = 1_200) =>
  inSlices(ids.slice(0, count), 400).map((originIds, index) => ({
    ...fields,
    originIds,
    ...(index === 0 ? { orgName: org, fileName } : {}),
  }))
const statementsIn = (text: string, field: string) =>
  new RegExp(`"${field}":(.*?),"(transactionRequests|fileLocation)":`, 's').exec(text)?.[1] ?? ''

test('1,200 ids in three sub-requests become one packet with parts of 100 pairs', async () => {
  const { status, body, text } = await client.post('/1.0/publish/multi?batchsize=100', subRequests('ring'))
  expect([status, body.error]).toEqual([200, null])
  // 1,200 nodes, cleanups and relationships; three relationships between neighbouring sub-requests occur twice.
  const pairs = 3_603
  const parts = Math.ceil(pairs / 100)
  expect(body.transactionRequests?.map(({ statements }) => statements.length)).toEqual([
    ...Array(parts - 1).fill(100),
    3,
  ])
  const names = Array.from({ length: parts }, (_, index) => `ringPart${index + 1}of${parts}`)
  const listed = await client.get(`/1.0/publish/${org}?filter=ring`)
  expect(listed.body.fileNames).toEqual(names.toSorted())
  expect(body.fileLocations?.length).toBe(parts)

  const whole = await client.get(`/1.0/publish/${org}/ring`)
  expect(statementsIn(whole.text, 'transactionRequests')).toBe(statementsIn(text, 'transactionRequests'))
  const part = await client.get(`/1.0/publish/${org}/ringPart2of${parts}`)
  const stored = await (await fetch(body.fileLocations?.[1] as string)).text()
  expect(statementsIn(part.text, 'transactionRequest')).toBe(stored)
  expect(parsePart(stored).filter(({ metadata }) => metadata !== null).length).toBe(1)

  const urls = await client.get(`/1.0/publish/${org}/ring/url?lifetime=60`)
  expect(urls.body.fileLocations?.length).toBe(parts)
  expect(urls.body.transactionRequests).toBeNull()
})

test('forceOverwrite replaces a packet by one with another number of parts; without it the name is taken', async () => {
  await client.post('/1.0/publish/multi?batchsize=50', subRequests('changing', 100))
  const blocked = await client.post('/1.0/publish/multi?batchsize=500', subRequests('changing', 100))
  expect(blocked.status).toBe(409)
  const forced = await client.post(
    '/1.0/publish/multi?batchSize=5000&forceOverwrite=true',
    subRequests('changing', 100),
  )
  expect([forced.status, forced.body.fileLocations]).toEqual([200, null])
  expect((await client.get(`/1.0/publish/${org}?filter=changing`)).body.fileNames).toEqual(['changing'])
  expect((await client.get(`/1.0/publish/${org}/changingPart1of7`)).status).toBe(404)
})

test('sub-requests that disagree or exceed the limits are refused, named by their index', async () => {
  const [first, second] = subRequests('disagreeing') as [object, object]
  const { status, body } = await client.post('/1.0/publish/multi?batchsize=0', [
    first,
    { ...second, fileName: 'other', returnOnly: true, originIds: ids.slice(0, 501) },
    {
      ...second,
      mappedIndices: { ...fields.mappedIndices, [fields.mappedIndices.DEFAULT_INDEX as string]: 'id', Other: 'x' },
      index: 'None',
    },
  ])
  expect(status).toBe(400)
  expect(body.error?.split('; ')).toEqual([
    '400 Bad Request: batchsize: must be a whole number from 1 to 5000',
    '[1].originIds: at most 500 ids, originIds and relationshipIds together',
    'there are 501, use POST /1.0/publish/multi',
    '[2].index: must be a label in mappedIndices or the value of DEFAULT_INDEX',
    '[1].fileName: must be the same as in [0]',
    '[1].returnOnly: must be the same as in [0]',
  ])
})

test('a part is read back byte for byte, whatever its numbers', async () => {
  await driver.executeQuery(
    `MATCH (n:\`${fields.mappedIndices.DEFAULT_INDEX}\` {id: 'p1'}) SET n.big = 9007199254740993, n.whole = 1.0, n.zero = -0.0`,
  )
  const { text } = await client.post('/1.0/publish/', {
    ...fields,
    originIds: ['p1'],
    relationships: [],
    orgName: org,
    fileName: 'numbers',
  })
  expect(text).toContain(
    '"parameters":{"id":"p1","big":"9007199254740993","marker":"first","rank":1,"whole":1.0,"zero":-0.0}',
  )
  const back = await client.get(`/1.0/publish/${org}/numbers`)
  expect(statementsIn(back.text, 'transactionRequest')).toBe(statementsIn(text, 'transactionRequest'))
})

test('files are found by prefix, also within the part suffix, and by substring, a page at a time', async () => {
  for (const fileName of ['find/a', 'find/ab', 'other']) {
    await client.post('/1.0/publish/multi?batchsize=4', [
      { ...fields, originIds: ['p1', 'p5'], relationships: ['KNOWS>'], orgName: org, fileName },
    ])
  }
  const find = async (body: object) => (await client.post(`/1.0/publish/${org}/files`, body)).body.fileNames
  const both = ['find/aPart1of2', 'find/aPart2of2', 'find/abPart1of2', 'find/abPart2of2']
  expect(await find({ fileNames: ['find/a'], usePrefixes: true })).toEqual(both)
  expect(await find({ fileNames: ['find/aP'], usePrefixes: true })).toEqual(both.slice(0, 2))
  expect(await find({ fileNames: ['find/abPart2', 'nothing'], usePrefixes: true })).toEqual(both.slice(3))
  expect(await find({ fileNames: ['bPart2'] })).toEqual(both.slice(3))
  const body = { fileNames: ['find'], usePrefixes: true }
  const ways = [
    (query: string) => client.post(`/1.0/publish/${org}/files?limit=2${query}`, body),
    (query: string) => client.get(`/1.0/publish/${org}?filter=find&limit=2${query}`),
  ]
  for (const way of ways) {
    const { fileNames, next } = JSON.parse((await way('')).text)
    const rest = JSON.parse((await way(`&after=${encodeURIComponent(next)}`)).text)
    expect([fileNames, rest.fileNames, rest.next]).toEqual([both.slice(0, 2), both.slice(2), null])
  }
  const inside = await client.get(`/1.0/publish/${encodeURIComponent(`${org}/find`)}`)
  expect(inside.body.fileNames).toEqual(both.map((name) => name.slice(5)))
})

test('a packet is read back in the other parameter syntax, with its values unchanged', async () => {
  await client.post('/1.0/publish/', { ...fields, originIds: ['p2', 'p3'], orgName: org, fileName: 'syntax' })
  const [stored, dollar, braces] = await Promise.all(
    ['', '?parameterSyntax=dollar', '?parameterSyntax=braces'].map((query) =>
      client.get(`/1.0/publish/${org}/syntax${query}`),
    ),
  )
  expect(braces?.text).toBe(stored?.text)
  const { statements = [] } = dollar?.body.transactionRequest ?? {}
  expect(statements.map(({ parameters }) => parameters)).toEqual(
    stored?.body.transactionRequest?.statements.map(({ parameters }) => parameters),
  )
  expect(statements[0]?.statement).toContain('{`id`: $id})')
  await driver.executeQuery(statements[0]?.statement as string, statements[0]?.parameters)
  expect((await client.get(`/1.0/publish/${org}/syntax?parameterSyntax=curly`)).status).toBe(400)
})
