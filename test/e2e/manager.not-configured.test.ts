import { expect, test } from 'vitest'
import { managerClient } from '../support/models/models.ts'
import { ownService } from '../support/programs/own-service.ts'

const env = { MANAGER_DB_URL: '', MANAGER_DB_USER: '', MANAGER_DB_PASSWORD: '' }
const { client } = await ownService({ env })

test('without a manager database the error names the missing setting', async () => {
  for (const path of ['status', 'name/default']) {
    const { status, headers, body } = await managerClient(client).get(path)
    expect([status, headers.get('Retry-After'), body.detail]).toEqual([
      503,
      '5',
      'no manager database is configured; set MANAGER_DB_URL to enable it',
    ])
  }
  expect((await client.get('/1.0/publish/status')).status).toBe(200)
})
