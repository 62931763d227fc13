import type { Driver } from 'neo4j-driver'
import type { Neo4jAddress } from '../../stack/stack.ts'
import type { createClient } from '../../support/client.ts'
import { differences, valueText } from '../../support/compare-graphs.ts'
import type { Pair } from '../../support/replay.ts'
import { shuffled } from '../../support/shuffle.ts'
import type { Alphabet } from './alphabet.ts'
import type { Case } from './cases.ts'
import { drawOrigin, replayed } from './databases.ts'
import { type Delivered, deliver } from './deliver.ts'
import { graphText } from './graph.ts'
import { type Outcome, outcomeOf, type Prediction, predict } from './oracle.ts'
import { postbackIn, toBeTold, toldBy } from './told.ts'

export interface World {
  names: Alphabet
  client: ReturnType<typeof createClient>
  origin: Neo4jAddress
  org: string
  parameterSyntax: string
  from: Driver
  to: Driver
}

/** What came of a case, for the count of situations. */
export interface Run {
  prediction: Prediction
  verdict: 'fine' | 'refused' | 'outside'
  /** Null for a case that is refused. */
  outcome: Outcome | null
  parts: number
}

/** Publishes, replays in every order, compares. @throws Error saying what differs from what the oracle says. */
export async function runCase(world: World, given: Case): Promise<Run> {
  const { names, from, to } = world
  const elementIds = await drawOrigin(from, given.origin, names)
  const prediction = predict(given, elementIds)
  const accepted = Date.now()
  const delivered = await deliver(world.client, given, world)
  const { parts } = delivered
  if (isRefused(prediction, delivered)) return { prediction, verdict: 'refused', outcome: null, parts: 0 }

  if (given.requests.length === 1) demand('pairs that stand there twice', repeated(parts.flat()))
  const now = timestampIn(parts, accepted)
  const outcome = outcomeOf(prediction, given.target, now)
  if (outcome.outside !== null) return { prediction, verdict: 'outside', outcome, parts: parts.length }
  const { before, after, afterPostback } = outcome
  for (const [name, order] of ordersOf(parts, given.delivery.orderSeed)) {
    const actual = await replayed(to, before, order, names)
    demand(`replayed ${name}`, differences(graphText(after), graphText(actual)))
  }
  const stamped = await replayed(to, before, postbackIn(parts), names)
  demand('the postback packet alone', differences(graphText(afterPostback), graphText(stamped)))
  const hasPairs = parts.flat().length > 0
  if (hasPairs) demand('metadata', linesBetween(toBeTold(prediction.plans), toldBy(parts, given.requests)))
  return { prediction, verdict: 'fine', outcome, parts: parts.length }
}

/** Pairs of equal text and parameters: a request has each once. */
function repeated(pairs: readonly Pair[]): string[] {
  const texts = pairs.map(({ statement, parameters }) => statement + valueText(Object.entries(parameters).flat()))
  return texts.filter((text, index) => texts.indexOf(text) !== index)
}

function isRefused({ refusals }: Prediction, { status, error }: Delivered): boolean {
  const must = refusals.some(({ isSure }) => isSure)
  const told = refusals.map(({ status: code, names }) => `${code} naming ${names.join(' or ')}`)
  if (status === 200 && !must) return false
  if (status === 200) throw new Error(`published, but must be refused: ${told.join('; ')}`)
  const fits = refusals.some(
    (it) => it.status === status && (it.names.length === 0 || it.names.some((name) => error?.includes(name))),
  )
  if (!fits) throw new Error(`answered ${error}, but must be ${told.length === 0 ? 'fine' : told.join('; ')}`)
  return true
}

/** The packet's one timestamp: the only integer in it that is a time since the request. */
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
  return [
    ['in order', pairs],
    ['shuffled', shuffled(pairs, seed)],
    ['parts in any order', parts.length > 1 ? shuffled(parts, seed).flat() : pairs.toReversed()],
    ['every pair twice, shuffled', shuffled([...pairs, ...pairs], seed + 1)],
  ]
}

const linesBetween = (expected: readonly string[], actual: readonly string[]): string[] => [
  ...expected.filter((line) => !actual.includes(line)).map((line) => `- ${line}`),
  ...actual.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
]

/** `-` is what the oracle expects, `+` what is there. */
function demand(what: string, lines: readonly string[]): void {
  if (lines.length > 0) throw new Error(`${what} (- expected, + found)\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
