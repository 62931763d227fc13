import { connect } from 'node:net'

const limitMs = 1_000

/** What a server says to a connection that sends nothing, because it is about to close it; '' if it says nothing. */
export function firstWordsOf(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (words: string) => {
      socket.destroy()
      resolve(words)
    }
    socket.once('data', (words) => end(words.toString('utf8')))
    socket.once('error', () => end(''))
    socket.once('close', () => end(''))
    socket.setTimeout(limitMs, () => end(''))
  })
}
