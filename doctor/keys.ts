import type { Redis } from 'ioredis'
import type { SecretKey } from '../shared/config/lists.ts'
import { unseal } from '../shared/jobs/stored/secrets.ts'
import { secretKeyOf } from '../shared/redis/keys.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks that key names are unique and that every stored credential can be decrypted. */
export async function* checkKeys(redis: Redis, keys: readonly SecretKey[]): AsyncGenerator<Finding> {
  const names = keys.map(({ id }) => id)
  const duplicate = names.find((id, at) => names.indexOf(id) !== at)
  if (duplicate !== undefined) {
    yield warn(
      'key ring',
      `two keys are named "${duplicate}", and the second is never used: give each key its own name`,
    )
  }
  const { opened, unopened } = await openSecrets(redis, keys)
  for (const [id, count] of unopened) {
    const what = `${count} stored credential(s) were sealed with the key "${id}"`
    yield names.includes(id)
      ? fail('key ring', `${what}, but another key has that name now: put the old one back`)
      : fail('key ring', `${what}, which SECRET_KEYS lacks: add it again, after the first, until they are gone`)
  }
  if (unopened.size > 0) return
  yield ok('key ring', `"${names[0]}" encrypts, ${keys.length} decrypt; ${opened} stored credential(s) open`)
}

async function openSecrets(redis: Redis, keys: readonly SecretKey[]) {
  const unopened = new Map<string, number>()
  let opened = 0
  const prefix = secretKeyOf('')
  for await (const page of redis.scanStream({ match: `${prefix}*`, count: 1_000 }) as AsyncIterable<string[]>) {
    const sealed = page.length > 0 ? await redis.mget(page) : []
    for (const [at, text] of sealed.entries()) {
      if (text === null) continue // its job ended after the scan found the key
      const id = text.split('.')[0] as string
      if (unseal(keys, (page[at] as string).slice(prefix.length), text) !== null) opened++
      else unopened.set(id, (unopened.get(id) ?? 0) + 1)
    }
  }
  return { opened, unopened }
}
