import { buildPacket } from '../../../shared/publish/build-packet.ts'
import type { BuildSizes } from '../../../shared/publish/read/sizes.ts'
import { parseMulti } from '../../../shared/publish/request/multi.ts'
import { parsePart } from '../../../shared/replay/pair.ts'
import type { Case } from '../generator/cases.ts'
import { bodiesOf, type Delivered } from './deliver.ts'
import type { World } from './run-case.ts'

/** Builds a case's packet in this process, with other sizes than those of the service. */
export async function buildHere({ requests, delivery }: Case, world: World, sizes: BuildSizes): Promise<Delivered> {
  const body = JSON.stringify(bodiesOf(requests, world, { returnOnly: true }))
  const { multi, issues } = parseMulti(JSON.parse(body))
  if (issues.length > 0) throw new Error(`refused: ${JSON.stringify(issues)}`)
  const parts: Delivered['parts'] = []
  const order = {
    requests: multi.requests,
    syntax: world.parameterSyntax,
    batchSize: delivery.batchsize,
    maxPairs: 100_000,
    limitSeconds: 60,
    spentSeconds: 0,
    acceptedAt: Date.now(),
  }
  await buildPacket(order, {
    originPolicy: world.originPolicy,
    sink: async ({ number, bytes }) => {
      parts[number - 1] = parsePart(bytes.toString())
    },
    signal: new AbortController().signal,
    onProgress() {},
    sizes,
  })
  return { status: 200, error: null, parts }
}
