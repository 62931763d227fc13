import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { valueText } from '../../../packet/check/shown-value.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { AppError } from '../../../shared/errors/app-error.ts'
import { defaultSizes } from '../../../shared/read/reading.ts'
import { type Alphabet, types } from '../generator/alphabet.ts'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { maskedCase, type Rules, withoutParallel } from '../masked/masked-case.ts'
import { buildHere } from '../run/build-here.ts'
import type { CaseOptions } from '../run/check-cases.ts'
import { createOrigin } from '../run/databases.ts'
import { openWorld } from '../run/open-world.ts'

const key = { id: 'k1', key: Buffer.alloc(32, 7) }

const action = fc.constantFrom('hash' as const, 'drop' as const)
const actionsOf = (keys: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...keys), action, { maxKeys: 3, noNullPrototype: true })
const ofNodes = ['name', 'rank', 'secret', 'nick', 'stamp', 'odd `key', 'a_id', 'photo', 'wide7']
const often = fc.constantFrom(true, true, false)

/** Rules that a request may have with any of the other generated options. */
const drawnRules = ({ a, b, c, x, y }: Alphabet): fc.Arbitrary<Rules> =>
  fc
    .record({
      labels: fc.tuple(...[a, b, c, x, y].map(() => fc.option(actionsOf(ofNodes), { nil: {} }))),
      hashesIds: fc.tuple(often, often, often),
      hashesSearch: often,
      ofTypes: fc.tuple(...types.map(() => fc.option(actionsOf(['since', 'mine', 'stamp', 'photo']), { nil: {} }))),
      hashesOwn: fc.tuple(...types.map(() => often)),
      only: fc.option(fc.subarray(ofNodes), { nil: null }),
    })
    .map(({ labels, hashesIds, hashesSearch, ofTypes, hashesOwn, only }) => {
      const ids = [{ id: 'hash' }, { key: 'hash' }, { id: 'hash' }] as const
      const mask = Object.fromEntries([
        ...[a, b, c, x, y].map((label, at) => [
          label,
          {
            ...labels[at],
            ...(hashesIds[at] ? ids[at] : {}),
            ...(hashesSearch && label === a ? { search: 'hash' } : {}),
          },
        ]),
        ...types.map((type, at) => [type, { ...ofTypes[at], ...(hashesOwn[at] ? { grn: 'hash' } : {}) }]),
      ])
      // A list of Y contradicts no rule of Y, and has what the twin without masks needs to find and identify nodes.
      const listed = only && {
        [y]: ['index', 'id', 'key', ...only, ...Object.keys(mask[y] ?? {})].filter((one) => mask[y]?.[one] !== 'drop'),
      }
      return { mask, only: listed ?? {} }
    })

/** Registers the test of generated cases with masks: how many, and the seed if one is to be repeated. */
export async function testMasked(suite: string, firstNumber: bigint, asked: CaseOptions): Promise<void> {
  const { cases: numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = asked
  const world = await openWorld(suite, firstNumber)

  test('a masked packet has the pairs that an origin with masked values would give', {
    timeout: 60_000 + 4_000 * numRuns,
  }, async () => {
    console.log(`masked cases: seed ${seed}, ${numRuns} cases`)
    const seen = { equal: 0, refused: 0, contradictions: 0 }
    // An origin refuses rules for properties that it never had.
    const all = [...ofNodes, 'since', 'mine', 'search', 'id', 'key', 'grn'].map((name) => [name, 1])
    await run(world.from, 'CREATE (n) SET n = $all DELETE n', { all: Object.fromEntries(all) })
    const property = fc.asyncProperty(cases(world.names), drawnRules(world.names), async (drawn, anyRules) => {
      const requests = drawn.requests.map(({ database: _, isElsewhere: __, ...request }) => request)
      const given: Case = { ...drawn, origin: withoutParallel(drawn.origin), requests }
      const rules = withoutUnknown(anyRules, given.origin)
      const twin = maskedCase(given, rules, key.key)
      const withRules = { ...given, requests: requests.map((request) => ({ ...request, ...rules })) }
      const found = await pairsOf(withRules)
      if (twin === null) {
        if (found.error === null) return
        seen.contradictions++
        return
      }
      const expected = await pairsOf(twin)
      // Of several elements that cannot be published, an error names the first that was read: words may differ.
      expect(
        { ...found, message: '' },
        describe(given, rules, `${found.message}; the twin: ${expected.message}`),
      ).toEqual({
        ...expected,
        message: '',
      })
      if (found.error === null) seen.equal++
      else seen.refused++
    })
    await fc.assert(property, { seed, numRuns, endOnFailure: true })
    console.log(JSON.stringify(seen))
    expect(seen.equal).toBeGreaterThan(0)
  })

  async function pairsOf(given: Case) {
    await createOrigin(world.from, given.origin, world.names)
    try {
      const { parts } = await buildHere(given, world, given.sizes ?? defaultSizes, { acceptedAt: 1, maskKey: key })
      return { error: null, message: '', pairs: parts.flat().map(textOf).sort() }
    } catch (error) {
      if (error instanceof AppError) return { error: error.code, message: error.message, pairs: [] }
      if (error instanceof Error && error.message.startsWith('refused'))
        return { error: 'refused', message: error.message, pairs: [] }
      throw error
    }
  }
}

/** An origin refuses rules for labels and types that it does not have. */
function withoutUnknown({ mask, only }: Rules, { nodes, relationships }: Case['origin']): Rules {
  const names = new Set([...nodes.flatMap(({ labels }) => labels), ...relationships.map(({ type }) => type)])
  const known = <T>(rules: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(rules).filter(([name]) => names.has(name)))
  return { mask: known(mask), only: known(only) }
}

const describe = (given: Case, rules: Rules, message: string) =>
  `${message}\n${describeCase(given)}\n${JSON.stringify(rules)}`

/** The text of a pair; the order in a keep-list depends on internal ids. */
function textOf({ statement, parameters }: Pair): string {
  const entries = Object.entries(parameters).map(([name, value]) => {
    const isKept = /^ids(_\d+)?$/.test(name) && Array.isArray(value)
    return `${name} ${isKept ? value.map(valueText).sort().join() : valueText(value)}`
  })
  return `${statement} ${entries.join(' ')}`
}
