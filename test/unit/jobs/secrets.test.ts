import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seal, unseal } from '../../../shared/jobs/stored/secrets.ts'

const key = (id: string) => ({ id, key: randomBytes(32) })
const [first, second] = [key('first'), key('second')]

describe('sealed secrets', () => {
  test('sealed secrets are opened by the key that sealed them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (jobId, text) => {
        expect(unseal([first], jobId, seal(first, jobId, text))).toBe(text)
      }),
    )
  })

  test('sealed secrets do not contain the plaintext, and are never equal', () => {
    const [one, other] = [seal(first, 'job', 'reader:pass'), seal(first, 'job', 'reader:pass')]
    expect(one).not.toBe(other)
    expect(one).not.toContain('reader')
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('reader')
  })

  test('sealed secrets do not open for another job', () => {
    expect(unseal([first], 'job-2', seal(first, 'job-1', 'text'))).toBeNull()
  })

  test('sealed secrets do not open with another key of the same name, or without their key', () => {
    const sealed = seal(first, 'job', 'text')
    expect(unseal([key('first')], 'job', sealed)).toBeNull()
    expect(unseal([second], 'job', sealed)).toBeNull()
    expect(unseal([], 'job', sealed)).toBeNull()
  })

  test('sealed secrets open after key rotation, while their key is still configured', () => {
    const [before, after] = [seal(first, 'job', 'before'), seal(second, 'job', 'after')]
    expect([before, after].map((sealed) => unseal([second, first], 'job', sealed))).toEqual(['before', 'after'])
    expect([before, after].map((sealed) => unseal([second], 'job', sealed))).toEqual([null, 'after'])
  })

  test('sealed secrets do not open if a byte of any field was changed', () => {
    const fields = seal(first, 'job', 'text').split('.')
    for (const index of [1, 2, 3]) {
      const changed = fields.map((field, at) => {
        const bytes = Buffer.from(field, 'base64')
        if (at === index) bytes[0] = (bytes[0] ?? 0) ^ 1
        return at === index ? bytes.toString('base64') : field
      })
      expect(unseal([first], 'job', changed.join('.'))).toBeNull()
    }
  })

  test('sealed secrets do not open with a shortened tag', () => {
    const [id, nonce, tag = '', text] = seal(first, 'job', 'text').split('.')
    const short = Buffer.from(tag, 'base64').subarray(0, 4).toString('base64')
    expect(unseal([first], 'job', [id, nonce, short, text].join('.'))).toBeNull()
  })

  test.each(['', 'first', 'first.', 'first.a.b', 'no seal at all'])(
    'sealed secrets do not open if malformed: %j',
    (sealed) => {
      expect(unseal([first], 'job', sealed)).toBeNull()
    },
  )
})
