import type { Redis } from 'ioredis'
import type { SecretKey } from '../shared/config/lists.ts'
import { secretKeyOf } from '../shared/jobs/redis-keys.ts'
import { unseal } from '../shared/jobs/secrets.ts'
import { fail, ok, type Tell, warn } from './finding.ts'

/** Checks that key names are unique and that every stored credential can be decrypted. */
export async function checkKeys(redis: Redis, keys: readonly SecretKey[], tell: Tell): Promise<void> {
  const names = keys.map(({ id }) => id)
  const twice = names.find((id, at) => names.indexOf(id) !== at)
  if (twice !== undefined) {
    tell(warn('key ring', `two keys are named "${twice}", and the second is never used: each needs a name of its own`))
  }
  const { opened, closed } = await openAll(redis, keys)
  for (const [id, count] of closed) {
    const what = `${count} stored credential(s) were sealed with the key "${id}"`
    if (names.includes(id)) tell(fail('key ring', `${what}, but another key has that name now: put the old one back`))
    else tell(fail('key ring', `${what}, which SECRET_KEYS lacks: put it back, behind the first, until they are gone`))
  }
  if (closed.size > 0) return
  tell(ok('key ring', `"${names[0]}" encrypts, ${keys.length} decrypt; ${opened} stored credential(s) open`))
}

async function openAll(redis: Redis, keys: readonly SecretKey[]) {
  const closed = new Map<string, number>()
  let opened = 0
  const prefix = secretKeyOf('')
  for await (const page of redis.scanStream({ match: `${prefix}*`, count: 1_000 }) as AsyncIterable<string[]>) {
    const sealed = page.length > 0 ? await redis.mget(page) : []
    for (const [at, text] of sealed.entries()) {
      if (text === null) continue // its job has ended in the meantime
      const id = text.split('.')[0] as string
      if (unseal(keys, (page[at] as string).slice(prefix.length), text) !== null) opened++
      else closed.set(id, (closed.get(id) ?? 0) + 1)
    }
  }
  return { opened, closed }
}
