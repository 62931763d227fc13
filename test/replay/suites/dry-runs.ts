import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { DryRun } from '../../support/clients/dry-run.ts'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { type CaseOptions, timeLimitMs } from '../run/check-cases.ts'
import { createOrigin } from '../run/databases.ts'
import { bodiesOf } from '../run/deliver.ts'
import { openWorld } from '../run/open-world.ts'
import type { World } from '../run/run-case.ts'

interface Manifest {
  pairs: number
  bytes: number
  parts: unknown[]
  statements: Record<string, number>
  requires: object
  report: { missing: object; skipped: object; collapsed: number }
}

/** What a dry run foresees of a packet. */
const foreseen = ({ pairs, bytes, parts, statements, requires, missing, skipped, collapsed }: DryRun) => ({
  pairs,
  bytes,
  parts,
  statements,
  requires,
  report: { missing, skipped, collapsed },
})

/** Publishes. @returns what the packet is, or the error of the publish */
async function published(world: World, { requests, delivery }: Case, onUnpublishable?: 'skip') {
  const { client, org } = world
  const fileName = uniqueName('case')
  const place = { orgName: org, fileName }
  const given = onUnpublishable ? requests.map((request) => ({ ...request, onUnpublishable })) : requests
  const bodies = bodiesOf(given, world, place)
  const { status, body } = await client.post(`/1.0/publish/multi?batchsize=${delivery.batchsize}`, bodies, {
    Prefer: 'return=minimal',
  })
  if (status !== 200) return body.error as string
  const { pairs, bytes, parts, statements, requires, report } = (
    await client.get<Manifest>(`/1.0/publish/${org}/${fileName}/manifest`)
  ).body
  const { missing, skipped, collapsed } = report
  return { pairs, bytes, parts: parts.length, statements, requires, report: { missing, skipped, collapsed } }
}

async function check(world: World, given: Case): Promise<'fine' | 'unpublishable' | 'refused'> {
  await createOrigin(world.from, given.origin, world.names)
  const path = `/1.0/publish/multi?batchsize=${given.delivery.batchsize}&dryRun=true`
  const { status, body } = await world.client.post<{ dryRun: DryRun; error: string }>(
    path,
    bodiesOf(given.requests, world, {}),
  )
  const packet = await published(world, given)
  const message = typeof packet === 'string' ? packet.replace('422 Unprocessable Entity: ', '') : null
  if (status !== 200) {
    // An unpublishable element hides a later error, which a publish that skips the element reports.
    expect([packet, await published(world, given, 'skip')]).toContain(body.error)
    return 'refused'
  }
  const { dryRun } = body
  expect(dryRun).toMatchObject({ complete: true, limit: null, projected: null, wouldConflict: null })
  const expected = message === null ? packet : await published(world, given, 'skip')
  expect(foreseen(dryRun)).toEqual(expected)
  if (message === null) return 'fine'
  const listed = dryRun.unpublishable.first.map(({ element, reason }) => [element, reason].flatMap((it) => it ?? []))
  expect(listed.map((words) => words.join(' '))).toContain(message)
  return 'unpublishable'
}

/** Registers the test of dry runs of generated cases. */
export async function testDryRuns(suite: string, firstNumber: bigint, asked: CaseOptions): Promise<void> {
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens['dry-runs'] as string, { Connection: 'close' })
  const world = { ...(await openWorld(suite, firstNumber)), client }
  const { cases: numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = asked
  test('a dry run of generated cases foresees what the publish then makes, or why it fails', {
    timeout: timeLimitMs(asked),
  }, async () => {
    console.log(`dry runs of generated cases: seed ${seed}, ${numRuns} cases`)
    const outcomes: string[] = []
    const property = fc.asyncProperty(cases(world.names), async (given) => {
      try {
        outcomes.push(await check(world, given))
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}\n\n${describeCase(given)}`)
      }
    })
    await fc.assert(property, { seed, numRuns, ...(asked.path === undefined ? {} : { path: asked.path }) })
    // Of a dozen cases, fewer than a quarter may be fine by chance.
    const fewestFine = numRuns < 20 ? 0 : numRuns / 4
    if (asked.path === undefined) expect(outcomes.filter((it) => it === 'fine').length).toBeGreaterThan(fewestFine)
    if (numRuns >= 100) expect(outcomes).toContain('unpublishable')
  })
}
