import { expect, inject, test } from 'vitest'
import { worstMultis, worstShapes } from '../../support/clients/worst-bodies.ts'

const { apiUrl, tokens } = inject('service')
const mebibyte = 1024 * 1024

const largest = {
  'numbers for ids': worstMultis['numbers for ids'],
  'unknown fields': worstMultis['requests of nothing but unknown fields'],
  'a type of backticks': worstMultis['a type of backticks'],
  'empty lists': worstShapes['empty lists']?.[0],
}

// Reading times of all kinds are limited by another test.
test.each(Object.entries(largest))(
  'the largest multi body of %s is refused with a message of readable size',
  async (_, make) => {
    const response = await fetch(`${apiUrl}/1.0/publish/multi`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.all}`, 'Content-Type': 'application/json' },
      body: make?.() ?? '',
    })
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(mebibyte)
  },
)
