import type { Driver } from 'neo4j-driver'
import { expect, inject } from 'vitest'
import type { PacketSource } from '../../../client/replay/source/load-part.ts'
import { verifyState } from '../../../client/replay/state/verify-state.ts'
import { type Client, createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress, TargetAddress } from '../../../dev/stack/stack.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import type { PacketManifest } from '../../../wire/manifest.ts'
import { type ChangingGraph, createHistory } from '../graphs/history.ts'
import { replayInOrder } from '../replay/replay-in-order.ts'
import { sourceOf, targetOf, usualComparison } from '../replay/replaying.ts'
import { shuffled } from '../values/shuffle.ts'

/** From which database to which other one, and the service that reads the first. */
export interface Way {
  client: Client
  from: Neo4jAddress
  to: Neo4jAddress
  /** The syntax that the other one takes. */
  parameterSyntax: 'dollar' | 'braces'
}

/** From one Neo4j 5 of the stack into the other. */
function usualWay(): Way {
  const { neo4j, target } = inject('stack')
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens.all as string)
  return { client, from: neo4j, to: target as TargetAddress, parameterSyntax: 'dollar' }
}

/** A stored packet, as its parts are. */
export async function packetOf(client: Client, org: string, fileName: string) {
  const { body: manifest } = await client.get<PacketManifest>(`/1.0/publish/${org}/${fileName}/manifest?lifetime=60`)
  const parts = await Promise.all(
    manifest.parts.map(async ({ url }) => parsePart(await (await fetch(url as string)).text())),
  )
  return { pairs: parts.flat(), manifest }
}

/** A graph that changes, and how it is published. */
interface Kind {
  /** Whether a history has parallel relationships. */
  parallel?: boolean
  /** Makes another graph than a history; its labels begin with `mark`. */
  graph?: (origin: Driver, target: Driver, mark: string) => ChangingGraph
  /** Whether it is published by ids, in two slices, rather than as a selection. */
  multi?: boolean
  options: object
}

/**
 * Publishes a graph that changes, whole at first and then as deltas, and replays these in any order, some of them twice.
 * Expects the graph of the origin at the target after each, and the state of the whole graph at the end.
 */
export async function deltasAddUp(
  seed: number,
  changes: number,
  { parallel = false, graph, multi = false, options }: Kind,
  { client, from, to, parameterSyntax }: Way = usualWay(),
): Promise<void> {
  await using origin = openDriver(from)
  await using target = openDriver(to)
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const mark = uniqueName('H')
  const history = graph?.(origin, target, mark) ?? createHistory(origin, mark, seed, parallel)
  const { indices, types, fields } = history
  const [[index, idProperty]] = Object.entries(indices) as [[string, string]]
  const common = {
    ...database(from, index, idProperty, indices),
    relationships: types.map((type) => `${type}>`),
    metadata: true,
    parameterSyntax,
    ...fields,
    ...options,
  }
  const requestOf = async (base: object) =>
    multi
      ? (await history.identities()).map(([index, id]) => ({ ...common, ...base, index, originIds: [id] }))
      : { ...common, ...base, select: [{ label: '*' }] }
  const publish = async (fileName: string, base: object) => {
    const names = { orgName: org, fileName }
    const answer = multi
      ? await client.post('/1.0/publish/multi', await requestOf({ ...base, ...names }))
      : await client.post('/1.0/publish/', await requestOf({ ...base, ...names }))
    expect(answer.body.error).toBeNull()
    return packetOf(client, org, fileName)
  }
  const differing = async () => differences(await readGraph(origin, mark), await readGraph(target, mark))

  await history.begin(multi ? 25 : 12)
  const first = await publish(`${mark}-0`, { asBase: true })
  await replayInOrder(target, shuffled(first.pairs, seed))
  expect(await differing()).toEqual([])
  let base = first.manifest
  const chain: [PacketSource, ...PacketSource[]] = [sourceOf(first.pairs)]
  for (let step = 1; step <= changes; step++) {
    await history.change()
    const { pairs, manifest } = await publish(`${mark}-${step}`, {
      base: `${mark}-${step - 1}`,
      deleteMissing: { atMost: 1 },
    })
    expect(manifest.base).toEqual({ packet: base.packet, generation: 1, state: base.state?.sha256 })
    await replayInOrder(target, shuffled(pairs, seed + step))
    // A delta twice is a delta once.
    if (step % 3 === 0) await replayInOrder(target, shuffled(pairs, seed - step))
    expect(await differing(), `after step ${step}`).toEqual([])
    base = manifest
    chain.unshift(sourceOf(pairs))
  }
  // The packets say together what the target has, and nothing that it has not.
  const keys = (base.state?.keys ?? []).map(({ url, ...piece }) => ({
    ...piece,
    read: async () => Buffer.from(await (await fetch(url as string)).arrayBuffer()),
  }))
  const compared = await verifyState({ packets: chain, keys }, targetOf(to), usualComparison)
  expect(compared).toMatchObject({ differing: 0, first: [] })
  expect(compared.pairs.nodeUpsert).toBe((await history.identities()).length)
  const whole = await publish(`${mark}-whole`, { asBase: true })
  expect(whole.manifest.state).toMatchObject({ sha256: base.state?.sha256, pairs: whole.pairs.length })
  for (const driver of [origin, target])
    await run(driver, `MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH '${mark}') DETACH DELETE n`)
}
