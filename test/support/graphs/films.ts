import { createRandom } from '../values/random.ts'

/**
 * A catalogue of films like those that people publish: ids of several sources, so integers and texts, also of equal
 * text; a second unique property, which not every film has; absent and empty values, and properties whose type differs
 * from film to film; people who have several credits of one type in one film.
 */

export type Id = bigint | string

export interface Film {
  id: Id
  /** Unique, if any. */
  imdb?: string
  title: string
  year?: bigint | string
  genres?: string[]
  runtime?: number
}

interface Person {
  id: Id
  name: string
  born?: bigint
}

export interface Credit {
  type: string
  person: Id
  film: Id
  /** `credit` is the relationship's own id. */
  properties: { credit: Id; roles?: string[]; rating?: number; note?: string }
}

export interface Revision {
  films: Film[]
  people: Person[]
  credits: Credit[]
}

const [films, people, credits] = [240, 300, 1_500]
const genres = ['Drama', 'Comedy', 'Crime', 'Documentary', 'Noir']

export function drawFilms(seed: number): Revision {
  const random = createRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const maybe = <Value>(chance: number, value: Value): Value | undefined => (random() < chance ? value : undefined)
  const drawn: Revision = { films: [], people: [], credits: [] }
  for (let at = 0; at < films; at++) drawn.films.push(filmOf(at))
  for (let at = 0; at < people; at++) {
    const born = maybe(0.6, 1_900n + BigInt(below(110)))
    drawn.people.push({ id: personId(at), name: at % 50 === 0 ? '' : `Person ${at}`, ...known({ born }) })
  }
  const taken = new Set<string>()
  while (drawn.credits.length < credits) {
    // Few people are in many films.
    const [person, film] = [personId(Math.floor(people * random() ** 3)), drawn.films[below(films)]?.id as Id]
    const type = ['ACTED_IN', 'ACTED_IN', 'ACTED_IN', 'DIRECTED', 'REVIEWED'][below(5)] as string
    const copies = type === 'ACTED_IN' && random() < 0.3 ? 2 + below(2) : 1
    for (let copy = 0; copy < copies; copy++) {
      const credit = creditId(taken.size)
      taken.add(String(credit))
      const roles =
        type === 'ACTED_IN'
          ? maybe(
              0.8,
              Array.from({ length: below(3) }, (_, n) => `Role ${n}`),
            )
          : undefined
      const rating = type === 'REVIEWED' ? maybe(0.9, below(10) + 0.5) : undefined
      drawn.credits.push({ type, person, film, properties: { credit, ...known({ roles, rating }) } })
    }
  }
  return drawn

  function filmOf(at: number): Film {
    const year = maybe(0.9, at % 11 === 0 ? `c. ${1_920 + below(100)}` : 1_920n + BigInt(below(100)))
    const listed = maybe(0.8, genres.slice(0, below(4)))
    const values = {
      imdb: maybe(0.7, `tt${1_000 + at}`),
      year,
      genres: listed,
      runtime: maybe(0.5, 60 + below(90) + 0.5),
    }
    return { id: filmId(at), title: at % 40 === 0 ? '' : `Film ${at}`, ...known(values) }
  }
}

/** Every eighth film has a text as its id, every sixteenth the text of the integer before it. */
const filmId = (at: number): Id => (at % 8 !== 7 ? BigInt(at) : at % 16 === 15 ? String(at - 1) : `film-${at}`)
const personId = (at: number): Id => (at % 5 === 0 ? BigInt(at) : `nm${at}`)
const creditId = (at: number): Id => (at % 3 === 0 ? BigInt(at) : `c${at}`)

/** The values that are not undefined. */
function known<Values extends object>(values: Values): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

/** The next revision of a catalogue, and the ids of the films that it has no more. */
export function revised({ films, people, credits }: Revision): Revision & { removed: Id[] } {
  const removed = films.filter((_, at) => at % 24 === 7 || at % 24 === 12).map(({ id }) => id)
  const kept = films.filter(({ id }) => !removed.includes(id)).map((film) => ({ ...film }))
  const withImdb = kept.filter(({ imdb }) => imdb !== undefined)
  const [one, other, ...chain] = withImdb.slice(0, 8) as [Film, Film, ...Film[]]
  // Two films exchange the unique value; of six, each gets that of the next, and the last one a new value.
  ;[one.imdb, other.imdb] = [other.imdb as string, one.imdb as string]
  for (const [at, film] of chain.entries()) film.imdb = chain[at + 1]?.imdb ?? 'tt-new'
  // A film without the value gets that of a film which loses it.
  const [giver, receiver] = [withImdb[20] as Film, kept.find(({ imdb }) => imdb === undefined) as Film]
  receiver.imdb = giver.imdb as string
  delete giver.imdb
  for (const [at, film] of kept.entries()) {
    if (at % 9 === 0) film.year = typeof film.year === 'string' ? 1_999n : 'unknown'
    if (at % 10 === 0) delete film.genres
    if (at % 13 === 0) film.runtime = 100
  }
  // New records of removed films take over their unique values.
  const removedImdbs = films.flatMap(({ id, imdb }) => (removed.includes(id) && imdb ? [imdb] : []))
  const added = removedImdbs.map((imdb, at): Film => ({ id: `again-${at}`, title: 'Again', imdb }))

  const left = credits.filter(({ film }) => !removed.includes(film)).map((credit) => structuredClone(credit))
  // One of several parallel credits goes, others exchange their ids or move to another film.
  const keyOf = ({ type, person, film }: Credit) => [type, person, film].join(' ')
  const seen = new Set<string>()
  const isSurplus = left.map((credit) => seen.has(keyOf(credit)) || !seen.add(keyOf(credit)))
  const stay = left.filter((_, at) => !isSurplus[at] || at % 2 === 0)
  for (let at = 0; at + 30 < stay.length; at += 60) {
    const [a, b] = [stay[at] as Credit, stay[at + 30] as Credit]
    ;[a.properties.credit, b.properties.credit] = [b.properties.credit, a.properties.credit]
  }
  for (let at = 5; at < stay.length; at += 40) (stay[at] as Credit).film = (kept[at % kept.length] as Film).id
  for (let at = 7; at < stay.length; at += 25) (stay[at] as Credit).properties.note = 'corrected'
  const renamed = people.map((person, at) => (at % 12 === 0 ? { id: person.id, name: `${person.name} Jr.` } : person))
  return { films: [...kept, ...added], people: renamed, credits: stay, removed }
}
