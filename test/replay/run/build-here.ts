import { isDeepStrictEqual } from 'node:util'
import type { Uniqueness } from '../../../client/replay/preflight/constraints.ts'
import { createNeeds } from '../../../client/replay/preflight/needs.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { listHere } from '../../../shared/publish/select/list-here.ts'
import type { BuildSizes } from '../../../shared/read/reading.ts'
import type { BoundModel } from '../../../shared/request/bound-model.ts'
import type { MaskKey } from '../../../shared/request/mask/mask-key.ts'
import { parseMulti } from '../../../shared/request/multi.ts'
import type { Case } from '../generator/cases.ts'
import { bodiesOf, type Delivered } from './deliver.ts'
import type { World } from './run-case.ts'

interface Built extends Delivered {
  /** How often the packet breaks the model it is bound to. */
  violations: number
}

/** How a packet is bound to a model. */
export interface Binding {
  model: BoundModel
  onModelViolation: 'fail' | 'report' | 'omit'
}

interface BuildOptions {
  binding?: Binding | null
  acceptedAt?: number
  /** The key for hashes of masked values. */
  maskKey?: MaskKey | null
}

/** Builds a case's packet in this process, with other sizes than the service uses. */
export async function buildHere(
  { requests, delivery }: Case,
  world: World,
  sizes: BuildSizes,
  { binding = null, acceptedAt = Date.now(), maskKey = null }: BuildOptions = {},
): Promise<Built> {
  const mode = binding && { onModelViolation: binding.onModelViolation, model: binding.model.version }
  const body = JSON.stringify(bodiesOf(requests, world, { returnOnly: true, ...mode }))
  const { multi, issues } = parseMulti(JSON.parse(body))
  if (issues.length > 0) throw new Error(`refused: ${JSON.stringify(issues)}`)
  const parts: Delivered['parts'] = []
  const { signal } = new AbortController()
  const { originPolicy } = world
  const most = { nodes: 100_000, what: 'allowed here' }
  const { requests: completed, listed } = await listHere(multi.requests, {
    originPolicy,
    signal,
    limitSeconds: 60,
    most,
  })
  const order = {
    requests: completed,
    listed,
    syntax: world.parameterSyntax,
    batchSize: delivery.batchsize,
    maxPairs: 100_000,
    limitSeconds: 60,
    spentSeconds: 0,
    acceptedAt,
    maskKey,
    model: binding?.model ?? null,
  }
  const { report } = await buildPacket(order, {
    originPolicy,
    sink: async ({ number, bytes }) => {
      parts[number - 1] = parsePart(bytes.toString())
    },
    signal,
    onProgress() {},
    sizes,
  })
  requireNamed(parts.flat(), report.identities)
  return { status: 200, error: null, parts, violations: report.model?.violations.count ?? 0 }
}

/** A target needs a constraint for each kind of identity by which pairs find nodes. */
function requireNamed(pairs: readonly Pair[], identities: readonly Uniqueness[]): void {
  const needs = createNeeds()
  needs.add(pairs.map(({ statement }) => ({ recognised: recognise(statement) as Recognised })))
  const isNamed = (one: Uniqueness) => identities.some((known) => isDeepStrictEqual(known, one))
  const unnamed = needs.all().filter((one) => !isNamed(one))
  if (unnamed.length > 0) throw new Error(`the report lacks identities: ${JSON.stringify(unnamed)}`)
}
