import { expect } from 'vitest'
import { database, uniqueName } from '../../../dev/requests.ts'
import { parseLossless } from '../../../packet/lossless-json.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { type Case, isCompressed } from '../generator/cases.ts'
import type { World } from './run-case.ts'

export interface Delivered {
  status: number
  error: string | null
  parts: Pair[][]
}

interface Answer {
  transactionRequest: { statements: Pair[] } | null
  transactionRequests: { statements: Pair[] }[] | null
  error: string | null
}

type Address = Pick<World, 'origin' | 'elsewhere' | 'parameterSyntax'>

/** The requests as a client sends them. */
export const bodiesOf = (requests: Case['requests'], { origin, elsewhere, parameterSyntax }: Address, place: object) =>
  requests.map(({ isElsewhere, ...request }) => {
    const { dbUrl, credentials } = database(isElsewhere ? elsewhere : origin, '', '')
    return { dbUrl, credentials, parameterSyntax, ...place, ...request }
  })

/** Publishes a case's requests, alone or as a multi; returned directly, or stored, some compressed, and read back by part. */
export async function deliver({ requests, delivery }: Case, world: World): Promise<Delivered> {
  const { client, org } = world
  const fileName = uniqueName('case')
  const compressed = isCompressed(delivery) ? { compression: 'gzip' } : {}
  const place = delivery.stored ? { orgName: org, fileName, ...compressed } : { returnOnly: true }
  const bodies = bodiesOf(requests, world, place)
  const isAlone = bodies.length === 1 && delivery.batchsize === 5_000
  const { status, text } = isAlone
    ? await client.post('/1.0/publish/', bodies[0])
    : await client.post(`/1.0/publish/multi?batchsize=${delivery.batchsize}`, bodies)
  const answer = parseLossless(text) as Answer
  const answered = [answer.transactionRequest ?? [], answer.transactionRequests ?? []].flat()
  if (!delivery.stored || status !== 200) {
    return { status, error: answer.error, parts: answered.map(({ statements }) => statements) }
  }
  const count = answered.length
  const names = answered.map((_, index) => (count === 1 ? fileName : `${fileName}Part${index + 1}of${count}`))
  const parts: Pair[][] = []
  for (const name of names) {
    const part = await client.get(`/1.0/publish/${org}/${name}`)
    expect(part.status).toBe(200)
    parts.push(parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(part.text)?.[1] ?? ''))
  }
  return { status, error: answer.error, parts }
}
