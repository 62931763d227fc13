import { Redis } from 'ioredis'
import { expect, inject, test } from 'vitest'
import { ownDatabase } from '../support/servers/own-database.ts'

test('a Redis database that its test has flushed is given to no other test', async () => {
  const { url } = inject('stack').redis
  const mine = await ownDatabase(url)
  const redis = new Redis(url, { db: mine.database })
  await redis.flushdb()
  redis.disconnect()
  const other = await ownDatabase(url)
  expect(other.database).not.toBe(mine.database)
  await Promise.all([mine.release(), other.release()])
})
