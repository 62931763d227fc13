import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { sweep } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, viewOf } from '../support/storage/stored-packets.ts'

const { context } = await ownWorker()
const { generations, packets, views, redis, log, metrics } = context
const hour = 3_600_000
const off = createPacketViews(redis, context, { isEnabled: false, log, metrics })

const sweepIn = (hours: number) =>
  sweep({ ...context, views: off }, Date.now() + hours * hour, new AbortController().signal)

test.each(['expires', 'is removed'])(
  'a packet that %s after PLAIN_FILES was switched off does not come back as a file of others',
  async (how) => {
    const org = uniqueName('org')
    const [name, kept] = [`${org}/f`, `${org}/kept`]
    const expiresAt = new Date(Date.now() + 2_000).toISOString()
    await commitPacket(context, name, ['1', '2'], how === 'expires' ? { expiresAt } : {})
    await commitPacket(context, kept, ['3'])
    for (const each of [name, kept]) await views.refresh(each)
    expect(await viewOf(context, org)).toEqual({ fPart1of2: '1', fPart2of2: '2', kept: '3' })
    if (how === 'expires') await expect.poll(() => generations.current(name), { timeout: 30_000 }).toBeNull()
    else {
      await generations.commit(name, removal(), { force: true, taken: () => new Error('taken') })
      await off.refresh(name)
    }
    // A day, and a week later.
    for (const hours of [24, 48, 9 * 24]) await sweepIn(hours)
    expect(await generations.list(name)).toEqual([2])
    expect([await packets.list(org, ['']), await viewOf(context, org)]).toEqual([['kept'], { kept: '3' }])
  },
)
