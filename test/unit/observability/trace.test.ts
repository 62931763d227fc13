import { expect, test } from 'vitest'
import { parseTraceparent } from '../../../shared/observability/trace.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const ids = `${traceId}-${parentId}`

test.each([
  ['of version 00', `00-${ids}-01`, `00-${ids}-01`],
  ['that is not sampled', `00-${ids}-00`, `00-${ids}-00`],
  ['with flags that version 00 does not define', `00-${ids}-ff`, `00-${ids}-01`],
  ['of a later version', `01-${ids}-03`, `00-${ids}-01`],
  ['of a later version that has more fields', `cc-${ids}-00-what-the-future-brings`, `00-${ids}-00`],
])('a traceparent %s is read as one of version 00', (_what, header, read) => {
  expect(parseTraceparent(header)).toBe(read)
})

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['in upper case', `00-${ids.toUpperCase()}-01`],
  ['of the forbidden version', `ff-${ids}-01`],
  ['of version 00 with more fields', `00-${ids}-01-more`],
  ['of version 00 with a closing dash', `00-${ids}-01-`],
  ['of a later version, but longer without a dash', `01-${ids}-01x`],
  ['cut short', `00-${ids}-0`],
  ['without flags', `00-${ids}`],
  ['without a version', `${ids}-01`],
  ['with another digit of the version', `0g-${ids}-01`],
  ['with a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
  ['with a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['with a trace id that is too short', `00-${traceId.slice(1)}-${parentId}-01`],
  ['with a digit that is not hexadecimal', `00-${traceId.replace('4', 'g')}-${parentId}-01`],
  ['with underscores', `00_${traceId}_${parentId}_01`],
  ['given twice', `00-${ids}-01, 00-${ids}-01`],
  ['with a line break after it', `00-${ids}-01\n`],
])('a traceparent that is %s is ignored', (_what, header) => {
  expect(parseTraceparent(header)).toBeNull()
})
