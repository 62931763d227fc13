import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** Sends raw bytes and reads until the server closes; for requests that no HTTP client would send. */
export async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(text)
  // A request refused before it was read completely may end in a connection reset.
  return String(await buffer(socket).catch(() => ''))
}

/** A GET whose answer is not decompressed. @throws Error when the answer is truncated */
export async function getPacked(url: string, token: string | null, encoding: string) {
  const headers = { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), 'Accept-Encoding': encoding }
  const sent = request(url, { headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

/** Sends a few bytes at a time until the time limit. @returns the answer, and when the server closed the connection. */
export async function sendSlowly(url: string, first: string, more: string, pauseMs: number, limitMs: number) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => {})
  const began = performance.now()
  socket.write(first)
  while (!socket.closed && performance.now() - began < limitMs) {
    if (socket.writable) socket.write(more)
    await delay(pauseMs)
  }
  const isCut = socket.closed
  socket.destroy()
  return { answer, isCut, milliseconds: performance.now() - began }
}
