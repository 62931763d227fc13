import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { sweep } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, keysBelow, viewOf } from '../support/storage/stored-packets.ts'

const { context } = await ownWorker()
const hour = 3_600_000

test.each([true, false])('a worker removes expired packets, and counts them (plain files: %s)', async (isEnabled) => {
  const [org, kept] = [uniqueName('org'), uniqueName('org')]
  const views = createPacketViews(context.redis, context, {
    isEnabled,
    log: context.log,
    metrics: context.metrics,
  })
  const worker = { ...context, views }
  const lives = { expiresAt: new Date(Date.now() + 5 * hour).toISOString() }
  for (const each of [org, kept]) {
    await commitPacket(context, `${each}/f`, ['1', '2'], lives)
    await views.refresh(`${each}/f`)
  }
  const view = isEnabled ? { fPart1of2: '1', fPart2of2: '2' } : {}
  expect(await viewOf(context, org)).toEqual(view)
  await commitPacket(context, `${org}/f`, ['3', '4'], { expiresAt: new Date(Date.now() - 1).toISOString() })

  const round = () => sweep(worker, Date.now() + 2 * hour, new AbortController().signal)
  expect(await round()).toMatchObject({ expired: 1, generations: 0, parts: 0 })
  expect([await viewOf(context, org), await viewOf(context, kept)]).toEqual([{}, view])
  expect((await context.generations.highest(`${org}/f`))?.manifest.removed).toBe(true)
  expect(await keysBelow(context, `${org}/.generations/f/`)).toEqual([
    expect.stringMatching(/9999999996$/),
    expect.stringMatching(/9999999996=0$/),
    expect.stringMatching(/9999999997$/),
    expect.stringMatching(/9999999997=2-\d{13}$/),
    expect.stringMatching(/9999999998$/),
    expect.stringMatching(/9999999998=2-\d{13}$/),
  ])
  expect(await round()).toMatchObject({ expired: 0 })
  const counted = await context.metrics.swept.get()
  expect(counted.values.find(({ labels }) => labels.kind === 'expired')?.value).toBeGreaterThan(0)
})
