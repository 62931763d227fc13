import { randomUUID } from 'node:crypto'
import { AppError } from '../shared/errors/app-error.ts'
import { openMinioStore } from '../shared/store/minio-store.ts'
import { type KeysBelowKeys, type ObjectStore, type ProbeOutcome, probeKey } from '../shared/store/object-store.ts'
import { answerOf } from '../shared/store/store-answers.ts'
import { type Check, codeOf, type Finding, fail, ok, warn } from './finding.ts'

const subject = 'object store'
/** Clock skew that is reported, and the skew from which S3 rejects signatures. */
const [noticedMs, refusedMs] = [30_000, 15 * 60_000]

/** Checks the list that the programs check at start (shared/store/requirements.ts); creates a missing bucket. */
export const checkObjectStore: Check = async function* ({ storage }) {
  const store = openMinioStore(storage)
  let outcomes: ProbeOutcome[]
  try {
    outcomes = await store.probe()
  } catch (error) {
    return yield fail(subject, reasonFor(error))
  }
  yield ok(subject, `bucket "${storage.bucket}" is there`)
  for (const { holds, problem } of outcomes)
    yield problem === null ? ok(subject, holds) : fail(subject, `it ${problem}`)
  if (outcomes.some(({ problem }) => problem !== null)) return
  yield ok('object store names', belowKeys[store.keysBelowKeys()])
  const key = probeKey(randomUUID())
  try {
    yield* checkClock(store, key)
    yield await checkLink(store, key)
  } finally {
    await store.remove(key)
  }
}

const belowKeys: Record<KeysBelowKeys, string> = {
  listed: 'keeps and lists a key below another key',
  hidden: 'hides a key below another key from listings: files of others with such names are found by name only',
  refused: 'keeps no key below another key: packets with such names have no plain files, and such orgs are refused',
}

function reasonFor(error: unknown): string {
  if (!(error instanceof AppError)) return (error as Error).message
  const answer = answerOf(error)
  const code = answer?.code ?? codeOf(error)
  const says = answer === null ? '' : `; it says: ${answer.words}`
  if (code === 'RequestTimeTooSkewed') return 'the clocks of this machine and of the store differ: set them by NTP'
  if (/Access|Signature|Authoriz|Forbidden|InvalidToken/i.test(code)) {
    return `refuses access (${code}): check S3_ACCESS_KEY, S3_SECRET_KEY and S3_REGION, and what that key may do${says}`
  }
  if (/CERT|SIGNED|TLS|SSL/.test(code)) return `its certificate is not trusted (${code}): set CA_FILE to its authority`
  const does = answer === null ? 'does not answer as it should' : answer.isRefusal ? 'refuses a request' : 'fails'
  return `${does} (${code}): check S3_ENDPOINT, S3_BUCKET, and that the store runs${says}`
}

/** Sweeps depend on the age of objects; signatures and download links depend on the time of day. */
async function* checkClock(store: ObjectStore, key: string): AsyncGenerator<Finding> {
  const before = Date.now()
  await store.put(key, Buffer.from('{}'))
  const after = Date.now()
  for await (const { modifiedAt } of store.list(key)) {
    // Stores report whole seconds.
    const skew = Math.max(before - 1_000 - modifiedAt, modifiedAt - after, 0)
    if (skew < noticedMs) return yield ok('object store clock', 'agrees with the clock of this machine')
    const message = `differs from the clock of this machine by ${Math.round(skew / 1_000)} s: set both by NTP`
    return yield skew < refusedMs ? warn('object store clock', message) : fail('object store clock', message)
  }
}

/** Opens a download link as clients receive it. Only a warning: the public address may be unreachable from here. */
async function checkLink(store: ObjectStore, key: string): Promise<Finding> {
  const link = await store.sign(key, 60, 'probe.json')
  const outcome = await fetch(link, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => String(status),
    (error) => codeOf(error),
  )
  if (outcome === '200') return ok('download links', 'open from here')
  const normal = 'normal in a container, where S3_PUBLIC_ENDPOINT is an address of the host, as with Docker Compose'
  return warn('download links', `do not open from here (${outcome}): ${normal}; a fault if clients report it too`)
}
