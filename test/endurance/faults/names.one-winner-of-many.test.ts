import { expect, inject, test } from 'vitest'
import type { Client } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { drawVersion, type Version } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

// Each round of twenty races has every kind of contest. More rounds only find what is rarer than one race in hundreds.
const races = inject('isLong') ? 1_000 : 100
const namesAtOnce = 20

/** Two writers through the delete endpoint, each with a different id to delete. */
const direct = (client: Client, org: string, fileName: string) =>
  ['one', 'other'].map(async (writer) => {
    const body = {
      mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
      originIds: [writer],
      index: 'Person',
    }
    return (await client.post(`/1.0/publish/${org}/delete`, { ...body, fileName })).status
  })

/** Two jobs. */
const queued = (client: Client, version: Version, org: string, fileName: string) =>
  ['one', 'other'].map(async () => {
    const body = { ...version.requests[0], orgName: org, fileName }
    return (await client.post('/1.0/publish/', body, { Prefer: 'return=minimal' })).status
  })

test(`of several writers of one name without force exactly one wins, in ${races} races`, {
  timeout: 300_000,
}, async () => {
  const { client, origin } = await openWorld({ workers: 2, env: { PLAIN_FILES: 'off' } })
  const version = await drawVersion(origin, inject('stack').neo4j, 2)
  for (let start = 0; start < races; start += namesAtOnce) {
    const org = uniqueName('org')
    await client.post(`/1.0/publish/${org}`)
    const names = Array.from({ length: namesAtOnce }, (_, index) => `race${index}`)
    const outcomes = await Promise.all(
      names.map((name, index) => {
        // Of twenty names, jobs contest one, jobs and direct writers another, and direct writers the rest.
        const jobs = index < 2 ? queued(client, version, org, name) : []
        return Promise.all(index === 0 ? jobs : [...jobs, ...direct(client, org, name)])
      }),
    )
    const expected = outcomes.map(({ length }) => [200, ...Array(length - 1).fill(409)])
    expect(outcomes.map((statuses) => statuses.sort())).toEqual(expected)
    const { fileNames } = (await client.get(`/1.0/publish/${org}`)).body
    expect(fileNames).toEqual(names.toSorted())
  }
})
