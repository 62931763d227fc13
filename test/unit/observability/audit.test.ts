import { pino } from 'pino'
import { expect, test } from 'vitest'
import { audit, auditedActions } from '../../../shared/observability/audit.ts'
import { textOf } from '../../support/documents/manifests.ts'

const linesAt = (level: string) => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level, base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  audit(log, { by: 'alice', requestId: 'request-1' }, { action: 'org.create', orgName: 'acme' })
  return lines
}

test.each(['trace', 'info', 'error', 'fatal'])('an audit line is written at the log level %s', (level) => {
  const sent = { by: 'alice', requestId: 'request-1' }
  const line = { level: 30, audit: true, action: 'org.create', outcome: 'done', ...sent, orgName: 'acme', msg: 'audit' }
  expect(linesAt(level)).toEqual([line])
})

test('no audit line is written where nothing is to be logged', () => {
  expect(linesAt('silent')).toEqual([])
})

test('docs/operations.md lists exactly the audited actions, with their fields', () => {
  const [, chapter = ''] = /^## Audit lines\n(.*?)^## /ms.exec(textOf('docs/operations.md')) ?? []
  const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code)
  const rows = chapter.split('\n').flatMap((line) => {
    const [, action, , fields] = line.split('|')
    return /`\w+\.\w+`/.test(action ?? '') ? [[codesIn(action)[0], codesIn(fields)]] : []
  })
  expect(Object.fromEntries(rows)).toEqual(auditedActions)
})
