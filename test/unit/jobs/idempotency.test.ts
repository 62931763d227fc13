import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { idempotencyOf, parseIdempotencyKey, sameJob } from '../../../shared/jobs/idempotency.ts'
import type { Submission } from '../../../shared/jobs/job.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { request, validRequest } from '../valid-request.ts'

const keyOf = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const [first, second] = [keyOf('k1', 1), keyOf('k2', 2)]

const submission = (changes: Record<string, unknown> = {}, others: Partial<Submission> = {}): Submission => ({
  kind: 'publish',
  orgName: 'acme',
  fileName: 'people',
  batchSize: 5_000,
  force: false,
  requests: [parsePublishRequest(request(changes)).request],
  ...others,
})

const of = (it: Submission, keys = [first]) => idempotencyOf(keys, 'client', 'key', it)
const known = async (it: Submission, keys = [first]) => ({ id: 'job', fingerprint: (await of(it, keys)).fingerprint })

describe('an Idempotency-Key', () => {
  test.each(['a', '!', '~', 'x'.repeat(255), '8e03978e-40d5-43dd-bc93-6894a57f9324'])(
    'an Idempotency-Key may be %s',
    (header) => {
      expect(parseIdempotencyKey(header)).toBe(header)
    },
  )

  test.each(['', ' ', 'a b', 'a, b', 'ü', '\u007f', '\t', 'x'.repeat(256)])(
    'an Idempotency-Key may not be %j',
    (header) => {
      expect(() => parseIdempotencyKey(header)).toThrow('Idempotency-Key: must be 1 to 255 visible ASCII characters')
    },
  )

  test('an Idempotency-Key is optional', () => {
    expect(parseIdempotencyKey(undefined)).toBeNull()
  })

  test('an Idempotency-Key is stored as a digest that is unique to the client and the key', async () => {
    const pairs = [
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'b'],
      ['a","b', ''],
      ['', 'a","b'],
    ] as const
    const digests = await Promise.all(
      pairs.map(async ([client, key]) => (await idempotencyOf([first], client, key, submission())).key),
    )
    expect(new Set(digests).size).toBe(pairs.length)
    expect((await idempotencyOf([first], 'a', 'b', submission({ originIds: ['p2'] }))).key).toBe(digests[0])
    expect(digests.every((digest) => /^[\w-]{43}$/.test(digest))).toBe(true)
  })
})

describe('a request is the same', () => {
  test('a request is the same regardless of the order of its fields and map keys', async () => {
    const { mappedIndices, ...others } = validRequest
    const reversed = (map: object) => Object.fromEntries(Object.entries(map).reverse())
    const shuffled = reversed({ ...others, mappedIndices: reversed(mappedIndices) })
    expect(JSON.stringify(shuffled)).not.toBe(JSON.stringify(validRequest))
    const again = submission({}, { requests: [parsePublishRequest(shuffled).request] })
    expect(await sameJob([first], await known(submission()), again)).toBe('job')
  })

  test('a request is the same whether a null field is sent or omitted', async () => {
    expect(await sameJob([first], await known(submission()), submission({ relationships: null }))).toBe('job')
  })
})

describe('a request is different', () => {
  test.each([
    ['other ids', submission({ originIds: ['p2'] })],
    ['other ids in another order', submission({ originIds: ['p2', 'p1'] })],
    ['a false that was not given', submission({ preventCleanup: false })],
    ['another password', submission({ credentials: `Basic ${btoa('reader:other')}` })],
    ['another file name', submission({}, { fileName: 'others' })],
    ['force', submission({}, { force: true })],
    ['another batch size', submission({}, { batchSize: 4_999 })],
    ['a multi', submission({}, { kind: 'multi' })],
    ['one request more', submission({}, { requests: [...submission().requests, ...submission().requests] })],
  ])('a request is different with %s', async (_what, other) => {
    await expect(sameJob([first], await known(submission()), other)).rejects.toThrow(
      expect.objectContaining({ status: 422, code: 'keyReused' }),
    )
  })
})

describe('a fingerprint', () => {
  test('a fingerprint under an older key is recognized while that key is configured', async () => {
    const older = await known(submission(), [first])
    expect(await sameJob([second, first], older, submission())).toBe('job')
    await expect(sameJob([second, first], older, submission({ originIds: ['p2'] }))).rejects.toThrow(
      'this key was used',
    )
    expect((await known(submission(), [second, first])).fingerprint).toMatch(/^k2\./)
  })

  test('a fingerprint under a removed key, or another key of the same name, is not recognized', async () => {
    const older = await known(submission(), [first])
    await expect(sameJob([second], older, submission())).rejects.toThrow('this key was used')
    await expect(sameJob([keyOf('k1', 3)], older, submission())).rejects.toThrow('this key was used')
  })

  test('a fingerprint is keyed, because a plain digest would allow guessing the password', async () => {
    const { fingerprint } = await of(submission())
    expect(fingerprint).toMatch(/^k1\.[\w-]{43}$/)
    expect((await of(submission(), [keyOf('k1', 3)])).fingerprint).not.toBe(fingerprint)
  })

  test('a fingerprint is of the text with sorted keys', async () => {
    const text =
      '{"batchSize":5000,"fileName":"people","force":false,"kind":"publish","orgName":"acme","requests":[{"dbUrl":"a","numbers":"plain"},{"dbUrl":"b"}]}'
    const requests = [{ numbers: 'plain', dbUrl: 'a' }, { dbUrl: 'b' }] as unknown as Submission['requests']
    const digest = createHmac('sha256', first.key).update(text).digest('base64url')
    expect((await of(submission({}, { requests }))).fingerprint).toBe(`k1.${digest}`)
  })
})
