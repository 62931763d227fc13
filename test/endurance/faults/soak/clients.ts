import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Neo4jAddress } from '../../../../dev/stack/stack.ts'
import { drawVersion, type Expected, type Version } from '../../../support/worlds/versions.ts'
import type { Published, World } from '../../../support/worlds/world.ts'
import type { History } from './history.ts'

interface Surroundings {
  world: World
  origin: Neo4jAddress
  /** Requests for the same graph through an address that may fail. */
  requestsOf(version: Version): object[]
  random(): number
  history: History
  isOver(): boolean
}

const fileNames = Array.from({ length: 12 }, (_, index) => `file${index}`)
const mostUnfinished = 4
const pauseMs = 300

/** Publishes small and large packets, reusing the same names, and cancels some, until time is up. */
export async function runClient(surroundings: Surroundings): Promise<void> {
  const { world, random, history, isOver } = surroundings
  const unfinished = new Set<Published>()
  while (!isOver()) {
    await delay(pauseMs + random() * pauseMs)
    const one = [...unfinished][Math.floor(random() * unfinished.size)]
    if (one && random() < 0.1) await cancel(world, one, history)
    else if (unfinished.size < mostUnfinished) {
      const job = await publish(surroundings)
      if (job === null) continue
      unfinished.add(job)
      job.done.catch(() => {}).finally(() => unfinished.delete(job))
    }
  }
}

/**
 * Every packet is a version of its own, so that readers can tell them apart.
 * @returns the job; null when it is unknown whether one was accepted.
 */
async function publish({ world, origin, requestsOf, random, history }: Surroundings): Promise<Published | null> {
  const people = random() < 0.3 ? 210 + Math.floor(random() * 300) : 10 + Math.floor(random() * 50)
  const fileName = fileNames[Math.floor(random() * fileNames.length)] as string
  const version = await drawVersion(world.origin, origin, people)
  const submittedAt = performance.now()
  const requests = random() < 0.5 ? requestsOf(version) : version.requests
  const batchSize = 25 + Math.floor(random() * 200)
  const expected: Expected = { version, batchSize }
  world.reader.watch(fileName, expected)
  const body = requests.map((request) => ({ ...request, orgName: world.org, fileName }))
  const key = randomUUID()
  // Retries the same request with the same key until there is an answer, as a careful client does.
  for (let tries = 1; ; tries++) {
    const location = await submit(world, `/1.0/publish/multi?batchsize=${batchSize}&forceOverwrite=true`, body, key)
    if (location === null) {
      history.note('submitted again')
      // Redis may have forgotten the key and the job accepted under it.
      if (world.rollbacks.mayHaveForgottenSince(submittedAt)) return null
      await delay(pauseMs)
      continue
    }
    if (tries > 1) expected.mayComeBack = world.rollbacks.hasHappenedSince(submittedAt)
    const id = location.split('/').at(-1) as string
    history.note('accepted', { id, fileName, people, batchSize })
    const job = world.follow({ id, fileName, version, location, submittedAt })
    const noted = (end: Awaited<Published['done']>) =>
      history.note(end?.state ?? 'gone', { id, error: end?.error, attempt: end?.attempt })
    job.done.then(noted, (error) => history.note('lost sight of', { id, error: String(error) }))
    return job
  }
}

/** @returns the job's location; null if no answer contained it. */
async function submit({ client }: World, path: string, body: object, key: string): Promise<string | null> {
  try {
    const answer = await client.post(path, body, { Prefer: 'respond-async', 'Idempotency-Key': key })
    const location = answer.headers.get('Location')
    if (location === null && answer.status < 500) throw new Error(`refused: ${answer.status} ${answer.text}`)
    return location
  } catch (error) {
    // A network failure: fetch throws a TypeError.
    if (error instanceof TypeError) return null
    throw error
  }
}

async function cancel({ client }: World, { id, location }: Published, history: History): Promise<void> {
  try {
    const { status } = await client.post(`${location}/cancel`)
    history.note('asked to cancel', { id, status })
  } catch {
    history.note('asked to cancel', { id, status: null })
  }
}
