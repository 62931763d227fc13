import { describe, expect, test } from 'vitest'
import { parseIfMatch } from '../../../api/http/if-match.ts'
import { parsePrefer } from '../../../api/http/prefer.ts'
import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import { fileName, orgName, parsePartName, storedName } from '../../../packet/names.ts'
import { isJwt } from '../../../shared/auth/jwt.ts'
import { parseOriginAllow, parseSecretKeys } from '../../../shared/config/lists.ts'
import { parseIdempotencyKey } from '../../../shared/jobs/idempotency.ts'
import { name as managerName } from '../../../shared/models/fields.ts'
import { grnOf, grnTypeOf } from '../../../shared/models/grn.ts'
import { parseStrategyName } from '../../../shared/models/search/strategies.ts'
import { parseDbUrl } from '../../../shared/origin/db-url.ts'
import { parseHttpsUrl } from '../../../shared/origin/https-url.ts'
import { convertSyntax } from '../../../shared/publish/pairs/convert-syntax.ts'
import { publishFields } from '../../../shared/request/fields.ts'
import { dataTypeOf } from '../../../shared/request/model/data-types.ts'
import { parseRelationshipType } from '../../../shared/request/relationship-types.ts'
import { isHidden, parseGenerationKey, parseMarkerKey, parsePartKey } from '../../../shared/storage/keys.ts'
import { filterOf } from '../../../shared/storage/listing/name-filter.ts'
import { busySeconds } from '../../support/programs/busy-seconds.ts'

const readers: Record<string, (text: string) => unknown> = {
  parseDbUrl,
  parseHttpsUrl,
  pathOfUrl: (text) => parseHttpsUrl(`https://a/${text}`.slice(0, 2_000)),
  credentials: (text) => publishFields.credentials.safeParse(`Basic ${text}`),
  orgName: (text) => orgName.safeParse(text),
  fileName: (text) => fileName.safeParse(text),
  storedName: (text) => storedName.safeParse(text),
  parsePartName,
  parseMarkerKey: (text) => parseMarkerKey(`a/.generations/${text}`),
  parseGenerationKey: (text) => parseGenerationKey(`a/.generations/${text}`),
  parsePartKey: (text) => parsePartKey(`a/.parts/${text}`),
  isHidden,
  parseRelationshipType,
  isQuotable,
  parsePrefer: (text) => parsePrefer(text, []),
  parseIfMatch,
  parseIdempotencyKey: (text) => orError(() => parseIdempotencyKey(text)),
  isJwt,
  grnTypeOf: (text) => grnTypeOf(`grn:${text}`),
  grnOf: (text) => grnOf('property').safeParse(text),
  managerName: (text) => managerName.safeParse(text),
  parseStrategyName,
  // No name is longer, and longer texts are refused.
  filterOf: (text) => filterOf('acme', [text.slice(0, 1_024)])?.mayBe(text.slice(0, 1_024)),
  dataTypeOf,
  parseOriginAllow: (text) => orError(() => parseOriginAllow(text)),
  parseSecretKeys: (text) => orError(() => parseSecretKeys(text)),
}

const orError = (read: () => unknown) => {
  try {
    return read()
  } catch (error) {
    return error
  }
}

// Text that the patterns repeat, search for, or stop at; used alone and in alternating pairs.
const units = [
  'a',
  'A',
  '0',
  '9',
  '.',
  '-',
  '_',
  '/',
  '/.',
  ':',
  '`',
  '``',
  '<',
  '>',
  ' ',
  '\t',
  '=',
  '"',
  ';',
  ',',
  '%',
]
units.push('Part', 'Part1of1', 'Part1', '1of', '{a}', '$a', '[', ']', '\\', '\u0315\u0300', '\ud800', 'Basic ', 'wait=')
const length = 100_000
const texts = units.flatMap((unit) =>
  ['', ...units].map((other) => (unit + other).repeat(length / (unit + other).length)),
)
const mostSeconds = 0.25

describe('a hundred thousand characters are matched in linear time, whatever repeats in them', () => {
  test.each(Object.entries(readers))(
    'a hundred thousand characters are matched in linear time, whatever repeats in them: %s',
    (_name, read) => {
      const slow = texts.flatMap((text) =>
        [text, `${text}\u0000`, `a${text}!`].filter((one) => busySeconds(() => read(one)) > mostSeconds),
      )
      expect(slow.map((text) => text.slice(0, 40))).toEqual([])
    },
  )

  test('convertSyntax reads a hundred thousand characters in linear time, whatever repeats in them', async () => {
    const wrap = (text: string) =>
      `{"statements":[{"statement":${JSON.stringify(text)},"parameters":{},"metadata":null}]}`
    for (const unit of units) {
      const text = unit.repeat(length / unit.length)
      const before = process.threadCpuUsage()
      async function* one() {
        yield Buffer.from(wrap(text))
      }
      for await (const _chunk of convertSyntax(one(), 'dollar'));
      const { user, system } = process.threadCpuUsage(before)
      expect([text.slice(0, 40), (user + system) / 1e6 < 2 * mostSeconds]).toEqual([text.slice(0, 40), true])
    }
  })
})
