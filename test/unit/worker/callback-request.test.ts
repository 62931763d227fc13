import { expect, test } from 'vitest'
import { recordOf } from '../../../shared/jobs/job.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import { callbackRequest } from '../../../worker/callbacks/callback-request.ts'

const names = { orgName: '"acme"', fileName: '"people.json"' }
const job = recordOf({ id: 'j1', kind: '"publish"', state: 'failed', attempt: '1', ...names })

/** The request of a job that failed with this message, and has reported so many kinds of identities. */
function requestOf(message: string, identities: number) {
  const report = createReport()
  for (let at = 0; at < identities; at++) report.identity({ label: `Label${at}`, idProperty: 'id' })
  const error = { status: 422, code: 'unpublishable', message }
  return callbackRequest({ ...job, report: report.read({ count: 1_000, bytes: 100_000 }), error }, [])
}

// Each character has three bytes.
const signs = '名'.repeat(8_000)

test.each([
  ['many kinds of identities', requestOf('short', 1_000)],
  ['a long error', requestOf('x'.repeat(20_000), 0)],
  ['an error of fewer characters than 16 KB have bytes', requestOf(signs, 0)],
])('a body stays below 16 KB whatever its job reports: %s', (_what, { body }) => {
  expect(Buffer.byteLength(body)).toBeLessThan(16 * 1024)
  expect(JSON.parse(body).data).toMatchObject({ id: 'j1', report: null, error: { code: 'unpublishable' } })
})

test('the length of a body is announced in bytes', () => {
  const { headers, body } = requestOf(signs, 0)
  expect(headers['Content-Length']).toBe(String(Buffer.byteLength(body)))
})
