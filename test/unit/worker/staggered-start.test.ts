import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createStaggeredStart, type StaggeredStart } from '../../../worker/staggered-start.ts'

/** A slice that stages and ends on demand; `begun` is set when it starts. */
function slice(staggeredStart: StaggeredStart, jobId: string) {
  const [stages, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const seen = { begun: false }
  const run = staggeredStart.run(jobId, async (staged) => {
    seen.begun = true
    stages.promise.then(staged)
    return ends.promise
  })
  return { seen, run, stage: stages.resolve, end: ends.resolve, fail: ends.reject }
}

const begun = async (slices: readonly ReturnType<typeof slice>[]) => {
  for (let step = 0; step < 3; step++) await turn()
  return slices.map(({ seen }) => seen.begun)
}

describe('the first slice of a job', () => {
  test('runs alone until it has staged a part; then the others start, and later ones at once', async () => {
    const staggeredStart = createStaggeredStart()
    const slices = ['a', 'a', 'a'].map((id) => slice(staggeredStart, id))
    expect(await begun(slices)).toEqual([true, false, false])
    slices[0]?.stage()
    expect(await begun(slices)).toEqual([true, true, true])
    slices[0]?.end('done')
    expect(await slices[0]?.run).toBe('done')
    const later = slice(staggeredStart, 'a')
    expect(await begun([later])).toEqual([true])
  })

  test('does not delay other jobs', async () => {
    const staggeredStart = createStaggeredStart()
    const slices = ['a', 'b', 'a', 'b'].map((id) => slice(staggeredStart, id))
    expect(await begun(slices)).toEqual([true, true, false, false])
    slices[1]?.stage()
    expect(await begun(slices)).toEqual([true, true, false, true])
  })

  test('lets the others start if it ends without a part, or fails', async () => {
    const staggeredStart = createStaggeredStart()
    const [ending, behindIt] = [slice(staggeredStart, 'a'), slice(staggeredStart, 'a')]
    ending.end('empty')
    expect(await begun([behindIt])).toEqual([true])
    const [failing, behindThat] = [slice(staggeredStart, 'b'), slice(staggeredStart, 'b')]
    failing.fail(new Error('broke'))
    await expect(failing.run).rejects.toThrow('broke')
    expect(await begun([behindThat])).toEqual([true])
    behindThat.end('done')
    expect(await behindThat.run).toBe('done')
  })

  test('runs alone again after all slices of its job have ended', async () => {
    const staggeredStart = createStaggeredStart()
    const once = slice(staggeredStart, 'a')
    once.stage()
    once.end('done')
    await once.run
    const slices = [slice(staggeredStart, 'a'), slice(staggeredStart, 'a')]
    expect(await begun(slices)).toEqual([true, false])
  })
})
