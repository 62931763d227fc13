import { describe, expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { expectRefused, startFromValid } from '../support/clients/refusals.ts'

const { client, org } = await startFromValid()
const at = (path: string) => `/1.0/publish/${path}`
const refuses = async (path: string, message: string) => expectRefused(await client.get(at(path)), 400, message)

describe('query parameters', () => {
  const lifetime = 'lifetime: must be a whole number from 1 to 604800'
  const limit = 'limit: must be a whole number from 1 to 100000'

  test.each([
    ['lifetime=0', lifetime],
    ['lifetime=604801', lifetime],
    ['lifetime=-1', lifetime],
    ['lifetime=1.5', lifetime],
    ['lifetime=9999999999', lifetime],
    ['lifetime=day', lifetime],
    ['lifetime=', `lifetime: must not be empty; ${lifetime}`],
    ['lifetime=1&lifetime=1', 'lifetime: must be given once'],
    ['lifeTime=1', 'lifeTime: unknown field, did you mean `lifetime`?'],
    ['filter=a', 'filter: unknown field'],
  ])('file/url?%s is refused', async (query, message) => {
    await refuses(`${org}/file/url?${query}`, message)
  })

  test.each([
    ['filter=', 'filter: must not be empty'],
    ['filter=a&filter=', 'filter: must not be empty'],
    ['after=', 'after: must not be empty'],
    ['after=a&after=b', 'after: must be given once'],
    ['limit=0', limit],
    ['limit=100001', limit],
    ['limit=some', limit],
    ['fliter=a', 'fliter: unknown field, did you mean `filter`?'],
    ['limit=0&after=&x=1', `after: must not be empty; ${limit}; x: unknown field`],
  ])('a list with ?%s is refused', async (query, message) => {
    await refuses(`${org}?${query}`, message)
    if (query.startsWith('f')) return // files takes no filter
    expectRefused(await client.post(at(`${org}/files?${query}`), {}), 400, message)
  })

  test.each([
    ['parameterSyntax=curly', 'parameterSyntax: must be one of braces, dollar'],
    ['parameterSyntax=', 'parameterSyntax: must not be empty; parameterSyntax: must be one of braces, dollar'],
    ['parametersyntax=dollar', 'parametersyntax: unknown field, did you mean `parameterSyntax`?'],
  ])('a packet read with ?%s is refused', async (query, message) => {
    await refuses(`${org}/file?${query}`, message)
  })

  test('query parameters are refused by endpoints that take none', async () => {
    await refuses('status?deep=true', 'deep: unknown parameter')
    expectRefused(await client.post(at(`${org}?name=a`)), 400, 'name: unknown parameter')
  })

  test('query parameters of other endpoints are refused by a publish', async () => {
    expectRefused(await client.post(at('?forceOverwrite=true'), {}), 400, await alone('forceOverwrite: unknown field'))
  })

  /** The error of the parameter, followed by the errors of an empty publish request. */
  async function alone(line: string): Promise<string> {
    const { body } = await client.post(at(''), {})
    return `${line}; ${body.error?.replace('400 Bad Request: ', '')}`
  }
})

describe('the body of files', () => {
  test.each([
    [{ fileNames: 'a' }, 'fileNames: must be an array'],
    [{ fileNames: ['a', 7, null] }, 'fileNames[1]: must be a string; fileNames[2]: must be a string'],
    [{ usePrefixes: 'yes' }, 'usePrefixes: must be a boolean'],
    [{ fileName: ['a'] }, 'fileName: unknown field, did you mean `fileNames`?'],
    [
      { useprefixes: true, fileNames: 1 },
      'fileNames: must be an array; useprefixes: unknown field, did you mean `usePrefixes`?',
    ],
    [[], 'the body must be an object'],
    [null, 'the body must be an object'],
  ])('the body of the files endpoint must not be %j', async (body, message) => {
    expectRefused(await client.post(at(`${org}/files`), body), 400, message)
  })

  test('the body of the files endpoint may be empty, and null is the same as absent', async () => {
    for (const body of [{}, { fileNames: null, usePrefixes: null }, { fileNames: [] }]) {
      expect((await client.post(at(`${org}/files`), body)).body.fileNames).toEqual([])
    }
  })
})

describe('names in paths', () => {
  const form = 'must be 1 to 8 segments joined by /, each a letter or digit followed by up to 62 of A-Z a-z 0-9 . _ -'
  const marks = 'must not contain control characters, backslashes or %'

  test.each([
    ['-a', form],
    ['a%20b', form],
    ['a%2F%2Fb', form],
    ['a%2F..%2Fb', form],
    ['.a', form],
    ['a'.repeat(64), form],
    ['a%2Fb%2Fc%2Fd%2Fe%2Ff%2Fg%2Fh%2Fi', form],
    ['a%252Fb', form],
    ['%2Fa', 'must not start or end with a slash'],
    ['a%2F', 'must not start or end with a slash'],
    ['multi%2Fa', 'must not start with the reserved name multi'],
    ['status%2Fa', 'must not start with the reserved name status'],
  ])('org %s is refused by every endpoint that takes one', async (name, message) => {
    const body = { fileNames: [] }
    const answers = await Promise.all([
      client.get(at(name)),
      client.get(at(`${name}/file`)),
      client.get(at(`${name}/file/url`)),
      client.post(at(name)),
      client.post(at(`${name}/files`), body),
    ])
    for (const answer of answers) expectRefused(answer, 400, `orgName: ${message}`)
  })

  test.each([
    ['.hidden', 'must not have a segment that starts with a dot'],
    ['a%2F..%2Fb', 'must not have a segment that starts with a dot'],
    ['%2Fa', 'must not start or end with a slash'],
    ['a%2F', 'must not start or end with a slash'],
    ['a%2F%2Fb', 'must have segments of 1 to 200 bytes'],
    ['a'.repeat(201), 'must have segments of 1 to 200 bytes'],
    ['a%5Cb', marks],
    ['a%00b', marks],
    ['a%C2%9F', marks],
    ['a%252Fb', marks],
    ['e%CC%81', 'must be valid Unicode in normalization form C'],
  ])('file %s is refused, both to read and to sign', async (name, message) => {
    await refuses(`${org}/${name}`, `fileName: ${message}`)
    await refuses(`${org}/${name}/url`, `fileName: ${message}`)
  })

  test('errors of org, file and query are reported together', async () => {
    await refuses(
      `-a/.b/url?lifetime=0`,
      `orgName: ${form}; fileName: must not have a segment that starts with a dot; lifetime: must be a whole number from 1 to 604800`,
    )
  })

  test('a path that is not percent-encoded UTF-8 is refused', async () => {
    for (const path of ['%E0%A4', `${org}/%FF`]) await refuses(path, 'the path is not validly percent-encoded')
  })

  test('an org or a file that does not exist is 404, and so is a part of a packet that does not exist', async () => {
    const nowhere = uniqueName('nowhere')
    const noOrg = `orgName: "${nowhere}" does not exist; create it with POST /1.0/publish/{orgName}`
    expectRefused(await client.get(at(nowhere)), 404, noOrg)
    expectRefused(await client.post(at(`${nowhere}/files`), {}), 404, noOrg)
    for (const file of ['file', 'filePart1of2']) {
      const noFile = `fileName: "${file}" does not exist in "${org}"`
      expectRefused(await client.get(at(`${org}/${file}`)), 404, noFile)
      expectRefused(await client.get(at(`${org}/${file}/url`)), 404, noFile)
    }
  })
})
