import type { Driver } from 'neo4j-driver'
import type { createClient } from '../../../dev/client.ts'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { valueText } from '../../../packet/check/shown-value.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import type { OriginSettings } from '../../../shared/config/config.ts'
import { largeIdBase } from '../../support/origins/large-ids.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import type { Alphabet } from '../generator/alphabet.ts'
import type { Case } from '../generator/cases.ts'
import { graphText } from '../generator/graph.ts'
import { expectedMetadata, postbackIn, reportedMetadata } from '../oracle/metadata.ts'
import { type ElementIds, type Outcome, outcomeOf, type Prediction, predict } from '../oracle/predict.ts'
import { buildHere } from './build-here.ts'
import { createOrigin, replayed, replayedByEngine } from './databases.ts'
import { type Delivered, deliver } from './deliver.ts'

export interface World {
  names: Alphabet
  client: ReturnType<typeof createClient>
  origin: Neo4jAddress
  /** The same origin at another address, where internal ids exceed 2^53. */
  elsewhere: Neo4jAddress
  org: string
  parameterSyntax: 'dollar' | 'braces'
  originPolicy: OriginSettings
  /** Whether the origin has the database that requests name. */
  namesDatabases: boolean
  from: Driver
  to: Driver
}

/** The result of a case, for counting situations. */
export interface Run {
  prediction: Prediction
  verdict: 'fine' | 'refused' | 'outside'
  /** Null for a refused case. */
  outcome: Outcome | null
  parts: number
  /** Each pair as text, without the packet's timestamp. */
  pairs: readonly string[] | null
}

/**
 * Publishes, replays in several orders and compares; then again at the origin's other address, where only the choice
 * among parallel relationships may differ, and with other sizes. @throws Error with the differences from the oracle.
 */
export async function runCase(world: World, given: Case): Promise<Run> {
  const here = await createOrigin(world.from, given.origin, world.names)
  const elementIds = { here, elsewhere: here.map(elsewhere) }
  const run = await tryCase(world, given, elementIds, null)
  const { sizes } = given
  if (sizes && run.verdict === 'fine') {
    const build = () => buildHere(given, world, sizes)
    await tryCase(world, given, elementIds, run.pairs, build).catch((error) => {
      throw new Error(`with sizes ${JSON.stringify(sizes)}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
  }
  const requests = given.requests.map((request) => ({ ...request, isElsewhere: !request.isElsewhere }))
  await tryCase(world, { ...given, requests }, elementIds, run.pairs).catch((error) => {
    throw new Error(`with internal ids beyond 2^53: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  })
  return run
}

const elsewhere = (elementId: string): string =>
  elementId.replace(/\d+$/, (digits) => String(largeIdBase + BigInt(digits)))

/** `known` are pairs already verified. */
async function tryCase(
  world: World,
  given: Case,
  elementIds: ElementIds,
  known: readonly string[] | null,
  publish = () => deliver(given, world),
) {
  const { names, to } = world
  const prediction = predictAt(world, given, elementIds)
  const accepted = Date.now()
  const delivered = await publish()
  const { parts } = delivered
  const refused = { prediction, verdict: 'refused' as const, outcome: null, parts: 0, pairs: null }
  if (isRefused(prediction, delivered)) return refused

  if (given.requests.length === 1) demand('pairs that stand there twice', repeated(parts.flat()))
  const now = timestampIn(parts, accepted)
  const texts = parts.flat().map((pair) => textOf(pair).replaceAll(`${now}`, 'now'))
  const outcome = outcomeOf(prediction, given.target, now)
  const run = { prediction, verdict: 'fine' as const, outcome, parts: parts.length, pairs: texts }
  if (outcome.isAmbiguous) return { ...run, verdict: 'outside' as const }
  if (outcome.dependsOnOrder) throw new Error('accepted, though the outcome depends on the order of replay')
  const hasPairs = parts.flat().length > 0
  if (hasPairs)
    demand('metadata', linesBetween(expectedMetadata(prediction.plans), reportedMetadata(parts, given.requests)))
  if (known && linesBetween(known, texts).length === 0) return run
  const { before, after, afterPostback } = outcome
  for (const [name, order] of ordersOf(parts, given.delivery.orderSeed)) {
    const actual = await replayed(to, before, order, names)
    demand(`replayed ${name}`, differences(graphText(after), graphText(actual)))
  }
  // One lane, or four with batches so small that every lane has some.
  const lanes = given.delivery.orderSeed % 2 === 0 ? { lanes: 1, batchRows: 1_000 } : { lanes: 4, batchRows: 4 }
  const grouped = await replayedByEngine(to, before, parts.flat(), names, lanes)
  demand(`replayed by the engine with ${lanes.lanes} lanes`, differences(graphText(after), graphText(grouped.graph)))
  demand('the comparison after the replay', grouped.found.after)
  const changed = differences(graphText(before), graphText(after)).length > 0
  if (changed !== grouped.found.before.length > 0) {
    throw new Error(
      `the comparison before the replay, where ${changed ? '' : 'nothing '}changes: ${grouped.found.before}`,
    )
  }
  const stamped = await replayed(to, before, postbackIn(parts), names)
  demand('the postback packet alone', differences(graphText(afterPostback), graphText(stamped)))
  return run
}

/** Contract 4, `database`: an origin refuses a database that it does not have. */
function predictAt({ namesDatabases }: World, given: Case, elementIds: ElementIds): Prediction {
  const prediction = predict(given, elementIds)
  if (namesDatabases || given.requests.every(({ database }) => database === undefined)) return prediction
  const refusal = { status: 422 as const, names: ['database'], isSure: true }
  return { ...prediction, refusals: [...prediction.refusals, refusal] }
}

const textOf = ({ statement, parameters }: Pair) => statement + valueText(Object.entries(parameters).flat())

/** Pairs with equal text and parameters: a request must not repeat a pair. */
function repeated(pairs: readonly Pair[]): string[] {
  const texts = pairs.map(textOf)
  return texts.filter((text, index) => texts.indexOf(text) !== index)
}

function isRefused({ refusals }: Prediction, { status, error }: Delivered): boolean {
  const must = refusals.some(({ isSure }) => isSure)
  const expected = refusals.map(({ status: code, names }) => `${code} naming ${names.join(' or ')}`)
  if (status === 200 && !must) return false
  if (status === 200) throw new Error(`published, but must be refused: ${expected.join('; ')}`)
  const fits = refusals.some(
    (it) => it.status === status && (it.names.length === 0 || it.names.some((name) => error?.includes(name))),
  )
  if (!fits) throw new Error(`answered ${error}, but must be ${expected.length === 0 ? 'fine' : expected.join('; ')}`)
  return true
}

/** The packet's only timestamp: the one integer in it between the request's start and now. */
function timestampIn(parts: readonly Pair[][], accepted: number): bigint {
  const isNow = (value: unknown): value is bigint =>
    typeof value === 'bigint' && value >= BigInt(accepted) - 1_000n && value <= BigInt(Date.now()) + 1_000n
  const values = [...parts.flat(), ...postbackIn(parts)].flatMap(({ parameters }) =>
    Object.values(parameters).filter(isNow),
  )
  const distinct = [...new Set(values)]
  if (distinct.length > 1) throw new Error(`the packet has several timestamps: ${distinct.join(', ')}`)
  return distinct[0] ?? 0n
}

function ordersOf(parts: readonly Pair[][], seed: number): [name: string, order: Pair[]][] {
  const pairs = parts.flat()
  // Most cases need not repeat the order of the packet, because the engine's batches keep to it too.
  const asItIs: [string, Pair[]][] = seed % 4 === 0 ? [['in order', pairs]] : []
  return [
    ...asItIs,
    ['shuffled', shuffled(pairs, seed)],
    ['every pair twice, shuffled', shuffled([...pairs, ...pairs], seed + 1)],
  ]
}

const linesBetween = (expected: readonly string[], actual: readonly string[]): string[] => [
  ...expected.filter((line) => !actual.includes(line)).map((line) => `- ${line}`),
  ...actual.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
]

/** Throws if there are differing lines: `-` expected, `+` found. */
function demand(what: string, lines: readonly string[]): void {
  if (lines.length > 0) throw new Error(`${what} (- expected, + found)\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
