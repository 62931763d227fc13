import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAnswer, type FakeRequest, startFakeService } from '../servers/fake-service.ts'
import { emptyDirectory, runCli } from './cli.ts'

export const contents = ['first', 'second', 'third', 'fourth', 'fifth'].map((text) =>
  Buffer.from(JSON.stringify({ statements: [], text })),
)
export const digests = contents.map((bytes) => hash('sha256', bytes))
export const nameOf = (index: number) => `people.jsonPart${index + 1}of${contents.length}`

export const manifest = (url: string, more: object = {}) => ({
  packet: 'acme/people.json',
  generation: 3,
  jobId: 'j',
  pairs: 0,
  bytes: 0,
  base: null,
  ...more,
  sha256: hash('sha256', digests.join('\n')),
  parts: contents.map((bytes, index) => ({
    fileName: nameOf(index),
    pairs: 0,
    bytes: bytes.length,
    url: `${url}/part/${index}?signature=secret`,
    sha256: digests[index],
  })),
  statements: {},
  requires: { server: '3.5', constraints: [] },
  report: null,
})

/** A service with one packet, whose parts may be answered in another way. */
export async function startPacketService(
  answerPart?: (index: number) => FakeAnswer | Promise<FakeAnswer> | undefined,
  more?: object,
) {
  const service = await startFakeService(({ url, headers }: FakeRequest) => {
    const [, index] = /^\/part\/(\d)/.exec(url) ?? []
    if (index !== undefined) return answerPart?.(Number(index)) ?? { status: 200, body: contents[Number(index)] }
    return { status: 200, body: manifest(`http://${headers.host}`, more) }
  })
  const directory = join(emptyDirectory(), 'people')
  return {
    ...service,
    directory,
    get: () => runCli(['get', 'acme/people.json', '-o', directory], service.variables),
    files: () => readdirSync(directory).sort(),
    partsAsked: () =>
      service.requests
        .filter(({ url }) => url.startsWith('/part'))
        .map(({ url }) => Number(url[6]))
        .sort(),
  }
}

export const allNames = ['manifest.json', ...contents.map((_, index) => nameOf(index))]
