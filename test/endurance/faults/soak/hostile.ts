import { afterAll } from 'vitest'
import { fakeBolt, type Reply } from '../../../support/origins/fake-bolt.ts'
import { audience, issuer, startIdentityProvider } from '../../../support/servers/identity-provider.ts'
import { callbackSettings, newSecret, startReceiver } from '../../../support/servers/receiver.ts'

/** V8 takes two bytes for each character of this text, of which all but one take a single byte on the wire. */
const text = `日${'x'.repeat(1_000)}`

function* endlessRows(): Generator<Reply> {
  for (;;) yield { record: [[text, text, text, text]] }
}

/** What an attacker may have of its own: an origin, a receiver of callbacks; and the server of keys, which may be away. */
export async function openHostile() {
  const end: Reply = { success: { has_more: false } }
  const origin = await fakeBolt((query) => (query.includes('IN $values') ? endlessRows() : [end]))
  const receiver = await startReceiver()
  receiver.answerWith(() => {})
  const identities = await startIdentityProvider()
  afterAll(() => identities.stop())
  const address = `127.0.0.1:${origin.port}`
  return {
    origins: [address],
    env: {
      ...callbackSettings([receiver], newSecret()),
      AUTH_JWKS_URL: identities.jwksUrl,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
    },
    receiver,
    identities,
    /** How often endless rows were requested. */
    endlessReads: () => origin.queries.filter((query) => query.includes('IN $values')).length,
    /** A publish from an origin that sends rows without end. */
    requestOfMemory: {
      dbUrl: `bolt://${address}`,
      credentials: `Basic ${btoa('user:password')}`,
      mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
      originIds: ['1'],
      relationships: ['KNOWS'],
    },
  }
}

export type Hostile = Awaited<ReturnType<typeof openHostile>>
