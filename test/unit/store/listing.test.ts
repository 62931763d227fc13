import { expect, test } from 'vitest'
import { listQuery, parseListing, withoutDotSegments } from '../../../shared/store/listing.ts'

const contents = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-11-28T07:00:00.000Z</LastModified><ETag>&#34;e&#34;</ETag><Size>7</Size></Contents>`
const listing = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</ListBucketResult>`
const keysOf = (inner: string) => parseListing(listing(inner)).objects.map(({ key }) => key)

test('a listing that says that its keys are URL-encoded is decoded, whichever way it writes a space', () => {
  const encoded = '<EncodingType>url</EncodingType>'
  expect(keysOf(encoded + contents('a/plus%2Bplus'))).toEqual(['a/plus+plus'])
  expect(keysOf(encoded + contents('a+b%20c%2520d'))).toEqual(['a b c%20d'])
  expect(keysOf(`${encoded}${contents('q%27uo%22tes%3C')}`)).toEqual([`q'uo"tes<`])
})

test('a listing that ignores the asked encoding has its keys as they are, with entities decoded', () => {
  for (const said of ['', '<EncodingType></EncodingType>', '<EncodingType/>']) {
    expect(keysOf(said + contents('plus+plus'))).toEqual(['plus+plus'])
    expect(keysOf(said + contents('per%20cent %41'))).toEqual(['per%20cent %41'])
    expect(keysOf(said + contents('&#34;q&#39;&#x1F600;&amp;lt;&lt;&quot;&apos;'))).toEqual([`"q'😀&lt;<"'`])
  }
})

test('a listing keeps spaces, digits and a single object', () => {
  expect(keysOf(contents(' 1.0 '))).toEqual([' 1.0 '])
  expect(keysOf('')).toEqual([])
  const [object] = parseListing(listing(contents('a'))).objects
  expect(object).toEqual({ key: 'a', bytes: 7, etag: 'e', modifiedAt: Date.UTC(2026, 10, 28, 7) })
})

test('a listing of a level has prefixes, whether it continues, and its token with entities decoded', () => {
  const levels =
    '<CommonPrefixes><Prefix>a+b/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>'
  const end = '<IsTruncated>true</IsTruncated><NextContinuationToken>q&#39;</NextContinuationToken>'
  expect(parseListing(listing(levels + end))).toEqual({
    objects: [],
    levels: ['a+b/', 'c/'],
    isTruncated: true,
    token: "q'",
  })
})

test('a listing of a thousand names with quotes is parsed whole', () => {
  const key = `${'&#34;'.repeat(20)}${'&#39;'.repeat(20)}`
  expect(keysOf(contents(key).repeat(1_000))).toEqual(Array(1_000).fill(`${'"'.repeat(20)}${"'".repeat(20)}`))
})

test('an answer that is no listing is an error', () => {
  expect(() => parseListing('<html></html>')).toThrow('not a listing')
  expect(() => parseListing('')).toThrow('not a listing')
})

test('the query of a listing is sorted, and escapes what signatures need escaped', () => {
  const query = listQuery({ prefix: `a b+'(*)!~`, delimiter: '/', keys: 7, after: 'é', token: '' })
  expect(query).toBe(
    'delimiter=%2F&encoding-type=url&list-type=2&max-keys=7&prefix=a%20b%2B%27%28%2A%29%21~&start-after=%C3%A9',
  )
})

test.each([
  ['a/b', 'a/b'],
  ['a/.-9', 'a/.-9'],
  ['a/...', 'a/...'],
  ['a/.b/..c', 'a/.b/..c'],
  ['.', ''],
  ['..', ''],
  ['a/.', 'a/'],
  ['a/../b', 'a/'],
  ['a/./b/..', 'a/'],
  ['a\\..\\b', 'a\\'],
  ['a/ . /b', 'a/'],
  ['../a', ''],
])('a start of a listing %s is sent as %s', (key, sent) => {
  expect(withoutDotSegments(key)).toBe(sent)
})
