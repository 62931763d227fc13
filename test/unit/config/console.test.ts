import { expect, test } from 'vitest'
import { parseConsole } from '../../../shared/config/console.ts'

test('CONSOLE is on, off or the https URL of a dashboard', () => {
  expect(parseConsole('off')).toBeNull()
  expect(parseConsole('on')).toEqual({ dashboardUrl: null })
  expect(parseConsole('https://grafana.example/d/packets')).toEqual({
    dashboardUrl: 'https://grafana.example/d/packets',
  })
})

test.each(['yes', 'http://grafana.example', 'https://user:pass-canary@grafana.example', 'javascript:alert(1)'])(
  'CONSOLE %s is refused, and not quoted',
  (text) => {
    expect(() => parseConsole(text)).toThrow('must be on, off or the https URL of a dashboard, without credentials')
  },
)
