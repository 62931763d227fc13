import { expect, inject, test } from 'vitest'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const rounds = [
  [15, 6],
  [6, 15],
  [15, 15],
  [30, 6],
] as const

test('concurrent forced overwrites with 5 and 2, 2 and 5, and 1 and 5 parts all succeed, and readers never see a mix', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ workers: 2, readerPauseMs: 25 })
  const versions = await Promise.all(
    rounds.flat().map(() => drawVersion(world.origin, inject('stack').neo4j, 15)), // 30 pairs: 2, 5 or 1 parts
  )
  const fileName = 'contested'
  for (const [round, sizes] of rounds.entries()) {
    const jobs = await Promise.all(
      sizes.map((batchSize, index) => {
        const version = versions[2 * round + index] as (typeof versions)[number]
        return world.publish({ version, fileName, batchSize, force: true })
      }),
    )
    const ends = await Promise.all(jobs.map(({ done }) => done))
    expect(ends.map((end) => end?.state)).toEqual(['succeeded', 'succeeded'])
  }
  const { length } = await world.storage.generations.list(`${world.org}/${fileName}`)
  expect(length).toBe(versions.length)
  await mustHold(world)
})
