import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { afterAll } from 'vitest'

const fixture = (name: string) => join(import.meta.dirname, '../../fixtures', name)
const certificateFile = fixture('self-signed.cert.pem')
const certificate = readFileSync(certificateFile, 'utf8')

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Answering = (response: ServerResponse, received: Received) => void

export interface Receiver {
  url: string
  /** `host:port`, as CALLBACK_ALLOW takes it. */
  address: string
  received: Received[]
  connections(): number
  /** Answers 204 by default. */
  answerWith(answer: Answering): void
}

export const noContent = (response: ServerResponse): void => void response.writeHead(204).end()

/** A receiver of callbacks for one test file. This process trusts it. */
export async function startReceiver(host = '127.0.0.1', port = 0): Promise<Receiver> {
  const received: Received[] = []
  let connections = 0
  let answer: Answering = noContent
  const options = { cert: certificate, key: readFileSync(fixture('self-signed.key.pem')) }
  const server = createServer(options, async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    received.push(one)
    answer(response, one)
  })
  server.on('connection', () => connections++).on('tlsClientError', () => {})
  server.listen(port, host)
  await once(server, 'listening')
  const known = getCACertificates('default')
  setDefaultCACertificates([...known, certificate])
  afterAll(() => {
    setDefaultCACertificates(known)
    server.closeAllConnections()
    server.close()
  })
  const address = `${host}:${(server.address() as AddressInfo).port}`
  return {
    url: `https://${address}/hooks?for=packets`,
    address,
    received,
    connections: () => connections,
    answerWith(next) {
      answer = next
    },
  }
}

/** For what happens within seconds, on a machine that is busy too. */
export const soon = { timeout: 20_000, interval: 20 }

export const newSecret = (): string => randomBytes(32).toString('base64')

/** Settings under which a service calls these receivers back, signing with these keys. */
export const callbackSettings = (receivers: readonly Pick<Receiver, 'address'>[], ...secrets: string[]) => ({
  CALLBACK_ALLOW: receivers.map(({ address }) => address).join(','),
  CALLBACK_SECRETS: secrets.map((secret, at) => `c${at}:${secret}`).join(','),
  CA_FILE: certificateFile,
})

/** The body of a callback, whose signature must be valid. @throws WebhookVerificationError */
export const verified = ({ headers, body }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string
    timestamp: string
    data: Record<string, unknown>
  }
