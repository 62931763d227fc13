import { expect, inject } from 'vitest'
import { everythingInRedis, everythingInTheStore } from '../storage/kept-texts.ts'
import type { World } from './world.ts'

/** A service's secrets, in every form in which a program might write them. */
export function secretsOf({ service }: Pick<World, 'service'>): string[] {
  const { neo4j } = inject('stack')
  const { S3_SECRET_KEY = '', SECRET_KEYS = '' } = service.env
  return [
    neo4j.password,
    Buffer.from(`${neo4j.username}:${neo4j.password}`).toString('base64'),
    ...Object.values(service.tokens),
    S3_SECRET_KEY,
    SECRET_KEYS.split(':').at(-1) as string,
    // Part of presigned URLs, which must not be stored.
    'X-Amz-Signature',
  ]
}

/** Everything a service has stored or logged so far, as place and text. */
export async function writtenDown(world: World): Promise<[place: string, text: string][]> {
  return [
    ['the logs', world.service.logs()],
    ['Redis', await everythingInRedis(world.service.redisUrl)],
    ["Redis' files", world.appendOnlyFiles()],
    ['the store', await everythingInTheStore(world.storage.store)],
  ]
}

/** Expects that no secret occurs in any of these places. */
export function mustBeNowhere(secrets: readonly string[], places: readonly (readonly [string, string])[]): void {
  const found = secrets.flatMap((secret, index) =>
    places.filter(([, text]) => text.includes(secret)).map(([place]) => `secret ${index} is in ${place}`),
  )
  expect(found).toEqual([])
}

/** Passwords, tokens, keys and signed URLs are not in logs, Redis (including its files) or the store. Contract 9. */
export async function mustKeepSecrets(world: World): Promise<void> {
  mustBeNowhere(secretsOf(world), await writtenDown(world))
}
