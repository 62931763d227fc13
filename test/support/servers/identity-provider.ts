import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

interface Key {
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  jwk: JWK
}

const algorithm = 'ES256'
export const issuer = 'https://issuer.example.org/'
export const audience = 'graph-packets'

async function newKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm } }
}

/** Signs access tokens and serves the JWKS locally; can be stopped, and counts requests. */
export async function startIdentityProvider() {
  let key = await newKey('first')
  let asked = 0
  let isSilent = false
  const server = createServer((_request, response) => {
    asked++
    if (isSilent) return
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [key.jwk] }))
  })
  const start = async (port = 0) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    server.close().closeAllConnections()
    await once(server, 'close')
  }
  await start()
  const { port } = server.address() as AddressInfo
  const valid = {
    sub: 'somebody',
    orgs: ['*'],
    scope: 'publish:read',
    iss: issuer,
    aud: audience,
    exp: inSeconds(3_600),
  }
  return {
    jwksUrl: `http://127.0.0.1:${port}/keys`,
    asked: () => asked,
    /** Whether it accepts requests and never answers them. */
    setSilent(silent: boolean) {
      isSilent = silent
    },
    start: () => start(port),
    stop,
    /** Signs a valid token with these claims overridden; undefined removes a claim. */
    sign: (claims: JWTPayload = {}, header: { kid?: string; typ?: string } = {}) =>
      new SignJWT(JSON.parse(JSON.stringify({ ...valid, ...claims })))
        .setProtectedHeader({ alg: algorithm, kid: key.kid, ...header })
        .sign(key.privateKey),
    /** Forges a token as an attacker who knows the public key could. */
    forge: async (secretOf: (pem: string) => string = (pem) => pem) =>
      new SignJWT(valid)
        .setProtectedHeader({ alg: 'HS256', kid: key.kid })
        .sign(Buffer.from(secretOf(await exportSPKI(key.publicKey)))),
    unsigned: () => `${base64url({ alg: 'none', kid: key.kid })}.${base64url(valid)}.`,
    async rotate() {
      key = await newKey('second')
    },
  }
}

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
