import { slugOf } from './documents.ts'

/** A place in the code that cites a document. */
export interface Citation {
  line: number
  cited: string
  /** `docs/contract.md#4.11`; null when the citation is too vague to resolve. */
  target: string | null
}

const numbers = String.raw`\d+(?:\.\d+)?(?:(?:\s*[,;]|\s+(?:and|to))\s+\d+(?:\.\d+)?(?![\w%]))*`
const words = String.raw`[A-Za-z][A-Za-z-]*(?:\s+[A-Za-z-]+)*`
const name = String.raw`\x60[^\x60]+\x60`

/**
 * "Contract 5", "contract 4.8, 4.11 and 5", "Contract 4.13 to 4.15", "Contract 5, replay syntax", "Contract 4,
 * `numbers`".
 */
const contract = new RegExp(
  String.raw`\s+(?<numbers>${numbers})(?:,\s+(?<topic>${words})(?=\s*[.;:,()]|\s*$)|(?:,|\s+and)\s+(?<name>${name}))?`,
  'y',
)

/** "Seed, Limits", "Seed, Publish #3", "seed, #9", "Seed, Errors 1", "Seed, `toLayer`", "…, cases 1 to 3". */
const seed = new RegExp(
  String.raw`,\s+(?:(?<name>${name})|(?:(?<words>${words}))?\s*#?(?<numbers>${numbers})?(?:,\s+cases\s+(?<cases>${numbers}))?)`,
  'y',
)

/** Expands "4.13 to 4.15, 4.17" to 4.13, 4.14, 4.15, 4.17. */
function each(list = ''): string[] {
  return list.split(/\s*[,;]\s*|\s+and\s+/).flatMap((item) => {
    const [first = '', last = first] = item.split(/\s+to\s+/)
    const [, section = '', from] = /^(\d+\.)?(\d+)$/.exec(first) ?? []
    const to = Number(last.split('.').at(-1))
    return Array.from({ length: to - Number(from) + 1 }, (_, step) => `${section}${Number(from) + step}`)
  })
}

function contractTargets({ numbers = '', topic, name }: Record<string, string | undefined>): string[] {
  const cited = each(numbers)
  const about = topic ?? name
  if (about === undefined) return cited
  // A topic belongs to a section: "Contract 5, values" is one place, "Contract 4.9 and `numbers`" are two.
  const [, section, item] = /^(\d+)(\.\d+)?$/.exec(cited.at(-1) as string) ?? []
  return [...cited.slice(0, item === undefined ? -1 : undefined), `${section}-${slugOf(about)}`]
}

function seedTargets(found: Record<string, string | undefined>): string[] {
  if (found.name !== undefined) return [slugOf(found.name)]
  const base = slugOf(found.words ?? 'Publish')
  const own = found.numbers === undefined ? [base] : each(found.numbers).map((number) => `${base}-${number}`)
  return [...own, ...(found.cases === undefined ? [] : each(found.cases).map((number) => `case-${number}`))]
}

/**
 * All citations in a file. Tests also use `seed` for random seeds and `contract` for suite names, so only "Seed" and
 * "contract N" count as citations there; elsewhere every occurrence of either word must be one.
 */
export function citationsIn(text: string, { isTest }: { isTest: boolean }): Citation[] {
  // A citation may continue on the next line of its comment.
  const lines = text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#(?!\d))?[ \t]*/g, '\n')
  const mentions = isTest ? /\bSeed\b|\b[Cc]ontract(?=\s+\d)/g : /\b[Ss]eed\b|\b[Cc]ontract\b/g
  return [...lines.matchAll(mentions)].flatMap(({ index, 0: word }): Citation[] => {
    const isSeed = word.toLowerCase() === 'seed'
    const form = isSeed ? seed : contract
    form.lastIndex = index + word.length
    const found = form.exec(lines)
    const line = lines.slice(0, index).split('\n').length
    const cited = (word + (found?.[0] ?? '')).replace(/\s+/g, ' ')
    const isVague = found === null || (isSeed && Object.values(found.groups ?? {}).every((part) => part === undefined))
    if (isVague) return [{ line, cited, target: null }]
    const document = isSeed ? 'docs/specification.md' : 'docs/contract.md'
    const targets = (isSeed ? seedTargets : contractTargets)(found.groups ?? {})
    return targets.map((anchor) => ({ line, cited, target: `${document}#${anchor}` }))
  })
}
