import { randomUUID } from 'node:crypto'
import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import { inBatches } from './batches.ts'
import { type KeysBelowKeys, type ObjectStore, type ProbeOutcome, probeKey } from './object-store.ts'

/**
 * What the service requires of an object store: the list that every start and the doctor check, and that
 * docs/deployment.md names. Each check writes objects of its own, which are removed afterwards.
 */
export interface Requirement {
  /** What holds, after "the object store". */
  holds: string
  /** What is wrong, after "the object store"; null if it holds. */
  problemOf(store: ObjectStore, own: OwnKeys): Promise<string | null>
}

/** Makes a key of the probe, which is removed at its end. */
type OwnKeys = (rest: string) => string

const text = (content: string) => Buffer.from(content)

export const requirements: readonly Requirement[] = [
  {
    holds: 'creates a key once only (If-None-Match: *), also of ten creates at once',
    async problemOf(store, own) {
      const key = own('created')
      // A store that checks before it reads the body lets several win only if the body takes some time.
      const bodies = Array.from({ length: racers }, (_, racer) => Buffer.alloc(racerBytes, String(racer)))
      const outcomes = await Promise.all(bodies.map((body) => store.create(key, body)))
      if (outcomes.every((outcome) => outcome === 'lost')) return refusedCreate(store, own)
      if ((await store.create(key, text('second'))) !== 'exists') {
        return 'ignores If-None-Match: *, so that packets could overwrite each other'
      }
      // If the answer of the winner is lost, the others still find the key taken.
      const winners = outcomes.filter((outcome) => outcome === 'created').length
      if (winners > 1) {
        return `lets ${winners} of ${racers} creates of one key at once succeed, so that packets could overwrite each other`
      }
      const content = await store.get(key)
      const winner = outcomes.indexOf('created')
      const isWhole = content !== null && bodies.some((body) => body.equals(content))
      return isWhole && (winner === -1 || bodies[winner]?.equals(content))
        ? null
        : 'does not read back what was written'
    },
  },
  {
    holds: 'lists what was just written',
    async problemOf(store, own) {
      const key = own('written')
      await store.put(key, text('written'))
      return (await store.hasAny(key)) ? null : 'does not list what was just written'
    },
  },
  {
    holds: `keeps names with + " ' % ~ and a dot at the start of a segment, and lists below such a dot`,
    async problemOf(store, own) {
      const directory = own('names/')
      const names = [`.-1+"'%41~ =é`, `b+"'%41~ =é`]
      const keys = names.map((name) => own(`names/${name}`))
      await Promise.all(keys.map((key) => store.put(key, text(key))))
      const listed = [...(await keysOf(store, `${directory}.-`)), ...(await keysOf(store, `${directory}b+"`))]
      if (listed.join('\n') !== keys.join('\n')) return `lists names with + " ' % ~ or a leading dot as other names`
      const contents = await Promise.all(keys.map((key) => store.get(key)))
      return contents.every((content, index) => String(content) === keys[index])
        ? null
        : `does not find names with + " ' % ~ or a leading dot`
    },
  },
  {
    holds: 'lists keys in order, whatever the size of the pages',
    async problemOf(store, own) {
      const directory = own('order/')
      const keys = ['a-b', 'a.', 'a/b', 'a0', 'aB', 'ab', '\uff71', '\u{1f600}'].map((name) => own(`order/${name}`))
      await Promise.all(keys.map((key) => store.put(key, text('order'))))
      const listed = await keysOf(store, directory, 3)
      const isInOrder = orders.some((compare) => keys.toSorted(compare).join('\n') === listed.join('\n'))
      if (!isInOrder) return 'does not list each key once, in the order of its characters'
      const middle = listed[3] as string
      const rest = await keysOf(store, directory, 1_000, middle)
      return rest.join('\n') === listed.slice(4).join('\n') ? null : 'does not start a listing after a given key'
    },
  },
  {
    holds: 'removes a key, and accepts that it is missing',
    async problemOf(store, own) {
      const key = own('removed')
      await store.put(key, text('removed'))
      await store.remove(key)
      await store.remove(key)
      return (await store.get(key)) === null ? null : 'still reads a key that was removed'
    },
  },
  {
    holds: 'copies an object',
    async problemOf(store, own) {
      const [from, to] = [own('from'), own('to')]
      await store.put(from, text('copied'))
      if (!(await store.copy(from, to)) || String(await store.get(to)) !== 'copied') return 'does not copy an object'
      return (await store.copy(own('none'), to)) ? 'says that it has copied a missing key' : null
    },
  },
]

/** By code point, as S3, or by UTF-16 unit (U+1F600 before U+FF71), as S3Proxy on a file system. */
const orders = [byCodePoint, (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)]

const racers = 10
/** 10 MiB in all: a body of this size takes several packets, so that the creates overlap. */
const racerBytes = 2 ** 20

/** Why none of the creates succeeded: a plain PUT gives the store's reason. */
async function refusedCreate(store: ObjectStore, own: OwnKeys): Promise<string> {
  await store.put(own('plain'), text('plain'))
  return 'refused to create an object with If-None-Match: *, but accepts it without'
}

async function keysOf(store: ObjectStore, prefix: string, pageKeys = 1_000, startAfter = ''): Promise<string[]> {
  const keys: string[] = []
  const options = { pageKeys, ...(startAfter === '' ? {} : { startAfter }) }
  for await (const { key } of store.list(prefix, options)) if (keys.push(key) > mostListed) break
  return keys
}

/** Above what a check has written: ends the listing of a store that repeats pages. */
const mostListed = 100

/**
 * What becomes of a key below another key. Not a requirement: packets do not need it, only their plain files and files
 * of others do.
 */
async function detectKeysBelowKeys(store: ObjectStore, own: OwnKeys): Promise<KeysBelowKeys> {
  const above = own('above')
  await store.put(above, text('above'))
  const below = `${above}/below`
  // Not repeated, as a `put` would be.
  const isRefused = await store.create(below, text('below')).then(
    (outcome) => outcome === 'lost',
    () => true,
  )
  if (isRefused && (await store.find(below)) === null) return 'refused'
  own('above/below')
  return (await keysOf(store, above)).includes(below) ? 'listed' : 'hidden'
}

interface Probed {
  outcomes: ProbeOutcome[]
  keysBelowKeys: KeysBelowKeys
}

/**
 * Checks all requirements at once, and leaves no object behind.
 * @throws storeAway if the store does not answer, or refuses access
 */
export async function probeStore(store: ObjectStore): Promise<Probed> {
  const keys: string[] = []
  const id = randomUUID()
  const own: OwnKeys = (rest) => {
    const key = probeKey(`${id}/${rest}`)
    keys.push(key)
    return key
  }
  const checks = requirements.map(async ({ holds, problemOf }) => ({
    holds,
    problem: await problemOf(store, own),
  }))
  const detecting = detectKeysBelowKeys(store, own)
  // Waits for all, so that none writes an object after the removal.
  await Promise.allSettled([...checks, detecting])
  // Longer keys first: a store of files may keep a directory as long as it has files.
  const written = keys.filter((key) => !key.endsWith('/')).sort((a, b) => b.length - a.length)
  await inBatches(written, (key) => store.remove(key).catch(() => {}))
  return { outcomes: await Promise.all(checks), keysBelowKeys: await detecting }
}
