import { describe, expect, test } from 'vitest'
import { parsePrefer, preferenceApplied } from '../../../api/http/prefer.ts'
import type { Issue } from '../../../shared/errors/app-error.ts'

function parsed(header: string | undefined) {
  const issues: Issue[] = []
  return { prefer: parsePrefer(header, issues), issues }
}

const none = { waitSeconds: null, respondAsync: false, returnMinimal: false }

describe('Prefer', () => {
  test.each([
    [undefined, {}],
    ['', {}],
    ['respond-async', { respondAsync: true }],
    ['Respond-Async', { respondAsync: true }],
    ['wait=0', { waitSeconds: 0 }],
    ['wait=55', { waitSeconds: 55 }],
    ['wait="10"', { waitSeconds: 10 }],
    [' wait = 10 ', { waitSeconds: 10 }],
    ['return=minimal', { returnMinimal: true }],
    ['return="minimal"', { returnMinimal: true }],
    ['respond-async, wait=10, return=minimal', { respondAsync: true, waitSeconds: 10, returnMinimal: true }],
    ['wait=10, wait=20, respond-async; wait=30', { waitSeconds: 10, respondAsync: true }],
    ['return=representation, handling=lenient, odd;foo="a b"', {}],
  ])('the header Prefer: %j is parsed as %j', (header, expected) => {
    expect(parsed(header)).toEqual({ prefer: { ...none, ...expected }, issues: [] })
  })

  test.each([
    'wait',
    'wait=',
    'wait=""',
    'wait=-1',
    'wait=56',
    'wait=1.5',
    'wait=1e1',
    'wait=0x10',
    'wait=soon',
    'wait=Infinity',
  ])('the header Prefer: %s is rejected: a wait is 0 to 55 seconds', (header) => {
    expect(parsed(header)).toEqual({
      prefer: none,
      issues: [{ path: 'Prefer', message: 'wait must be 0 to 55 seconds' }],
    })
  })
})

describe('Preference-Applied', () => {
  test.each([
    [{}, {}],
    [{ respondAsync: true }, { 'Preference-Applied': 'respond-async' }],
    [{ waitSeconds: 0 }, { 'Preference-Applied': 'wait=0' }],
    [
      { returnMinimal: true, waitSeconds: 10, respondAsync: true },
      { 'Preference-Applied': 'respond-async, wait=10, return=minimal' },
    ],
  ])('Preference-Applied for %j is %j', (asked, header) => {
    expect(preferenceApplied({ ...none, ...asked })).toEqual(header)
  })
})
