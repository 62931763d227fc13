import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  locationFields,
  type PublishResponse,
  publishResponse,
  type StatementSource,
  serializeResponse,
  statementFields,
} from '../../../shared/publish/response.ts'

/** Statements as a chunked stream from a store. */
const source = (...chunks: string[]): StatementSource => ({
  bytes: Buffer.byteLength(chunks.join('')),
  open: async () => Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
})

const wholeOf = async (chunks: Buffer | AsyncIterable<Uint8Array>) =>
  Buffer.isBuffer(chunks) ? chunks : buffer(chunks)

async function body(fields: Partial<PublishResponse>): Promise<string> {
  const { bytes, chunks } = serializeResponse(publishResponse(fields))
  const whole = await wholeOf(chunks)
  expect(whole.length).toBe(bytes)
  return whole.toString()
}

describe('the publish response', () => {
  test('the publish response has every field, in this order, null where not applicable', async () => {
    expect(await body({})).toMatchInlineSnapshot(
      `"{"transactionRequest":null,"transactionRequests":null,"fileLocation":null,"fileLocations":null,"fileNames":null,"error":null,"usePrefixes":null}"`,
    )
  })

  test('the publish response keeps its field order for any input order', async () => {
    const fields = {
      usePrefixes: true,
      error: '400 Bad Request: é',
      fileNames: ['b', 'a'],
      fileLocation: 'https://s3/f',
    }
    expect(await body(fields)).toMatchInlineSnapshot(
      `"{"transactionRequest":null,"transactionRequests":null,"fileLocation":"https://s3/f","fileLocations":null,"fileNames":["b","a"],"error":"400 Bad Request: é","usePrefixes":true}"`,
    )
  })

  test('the publish response streams statements as stored, without parsing them', async () => {
    const stored = ['{"statements": [{"p":9007199254740993,', '"f":1.0,"z":-0.0,"é":1}]}\n']
    expect(await body(statementFields([source(...stored)]))).toMatchInlineSnapshot(`
      "{"transactionRequest":{"statements": [{"p":9007199254740993,"f":1.0,"z":-0.0,"é":1}]}
      ,"transactionRequests":null,"fileLocation":null,"fileLocations":null,"fileNames":null,"error":null,"usePrefixes":null}"
    `)
  })

  test('the publish response has several parts in order, in the plural fields', async () => {
    const fields = { ...statementFields([source('{"n":', '1}'), source('{"n":2}')]), ...locationFields(['u1', 'u2']) }
    expect(await body(fields)).toMatchInlineSnapshot(
      `"{"transactionRequest":null,"transactionRequests":[{"n":1},{"n":2}],"fileLocation":null,"fileLocations":["u1","u2"],"fileNames":null,"error":null,"usePrefixes":null}"`,
    )
  })

  test('the publish response has one location in the singular field', async () => {
    expect(await body(locationFields(['https://s3/f?a=1&b="2"']))).toMatchInlineSnapshot(
      `"{"transactionRequest":null,"transactionRequests":null,"fileLocation":"https://s3/f?a=1&b=\\"2\\"","fileLocations":null,"fileNames":null,"error":null,"usePrefixes":null}"`,
    )
  })

  test('the publish response preserves empty lists', async () => {
    expect(JSON.parse(await body({ fileNames: [], transactionRequests: [] }))).toMatchObject({
      fileNames: [],
      transactionRequests: [],
    })
  })

  test('the publish response has a known length before it is read, for any content', async () => {
    const text = fc.string({ unit: 'binary' })
    const part = fc
      .array(text, { minLength: 1, maxLength: 3 })
      .map((texts) => source(`[${texts.map((one) => JSON.stringify(one)).join(',')}]`))
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        text,
        fc.array(text),
        async (parts, error, fileNames) => {
          const read = JSON.parse(await body({ ...statementFields(parts), error, fileNames }))
          expect(read).toMatchObject({ error, fileNames })
        },
      ),
    )
  })
})

describe('the chunks of a response', () => {
  test('the chunks of a response are the body itself without statements', () => {
    const { bytes, chunks } = serializeResponse(publishResponse({ error: '404 Not Found' }))
    expect([Buffer.isBuffer(chunks), (chunks as Buffer).length]).toEqual([true, bytes])
  })

  test('the chunks of a response are its statements, and one for all text before, between or after them', async () => {
    const { chunks } = serializeResponse(publishResponse(statementFields([source('1'), source('2')])))
    const texts = await Readable.from(chunks as AsyncIterable<Uint8Array>)
      .map(String)
      .toArray()
    expect(texts).toEqual([
      '{"transactionRequest":null,"transactionRequests":[',
      '1',
      ',',
      '2',
      '],"fileLocation":null,"fileLocations":null,"fileNames":null,"error":null,"usePrefixes":null}',
    ])
  })
})

describe('statement sources', () => {
  test('statement sources are opened lazily, one after the other', async () => {
    const events: string[] = []
    const watched = (name: string): StatementSource => ({
      bytes: 2,
      async open() {
        events.push(`open ${name}`)
        return (async function* () {
          yield Buffer.from('{')
          yield Buffer.from('}')
          events.push(`end ${name}`)
        })()
      },
    })
    const { chunks } = serializeResponse(publishResponse(statementFields([watched('1'), watched('2')])))
    expect(events).toEqual([])
    await wholeOf(chunks)
    expect(events).toEqual(['open 1', 'end 1', 'open 2', 'end 2'])
  })

  test('statement sources that fail make the response fail', async () => {
    const broken = new Error('the store broke off')
    const breaking: StatementSource = {
      bytes: 10,
      open: async () =>
        (async function* () {
          yield Buffer.from('{')
          throw broken
        })(),
    }
    const { chunks } = serializeResponse(publishResponse(statementFields([breaking])))
    await expect(wholeOf(chunks)).rejects.toBe(broken)
  })
})
