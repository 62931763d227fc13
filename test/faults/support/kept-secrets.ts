import { expect, inject } from 'vitest'
import { everythingInRedis, everythingInTheStore } from '../../support/kept-texts.ts'
import type { World } from './world.ts'

/** Texts that hold a secret of a service, in the forms that a program might write it. */
export function secretsOf({ service }: Pick<World, 'service'>): string[] {
  const { neo4j } = inject('stack')
  const { S3_SECRET_KEY = '', SECRET_KEYS = '' } = service.env
  return [
    neo4j.password,
    Buffer.from(`${neo4j.username}:${neo4j.password}`).toString('base64'),
    ...Object.values(service.tokens),
    S3_SECRET_KEY,
    SECRET_KEYS.split(':').at(-1) as string,
    // Of presigned URLs; what is kept has none.
    'X-Amz-Signature',
  ]
}

/** Everything a service has written down by now: each place's name and text. */
export async function writtenDown(world: World): Promise<[place: string, text: string][]> {
  return [
    ['the logs', world.service.logs()],
    ['Redis', await everythingInRedis(world.service.redisUrl)],
    ["Redis' files", world.appendOnlyFiles()],
    ['the store', await everythingInTheStore(world.storage.store)],
  ]
}

/** No secret is in any of these places. */
export function mustBeNowhere(secrets: readonly string[], places: readonly (readonly [string, string])[]): void {
  const found = secrets.flatMap((secret, index) =>
    places.filter(([, text]) => text.includes(secret)).map(([place]) => `secret ${index} is in ${place}`),
  )
  expect(found).toEqual([])
}

/** Passwords, tokens, keys and signed URLs are not in logs, Redis (its files too) or the store. Contract 9. */
export async function mustKeepSecrets(world: World): Promise<void> {
  mustBeNowhere(secretsOf(world), await writtenDown(world))
}
