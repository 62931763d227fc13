import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

// Without workers, so that no commit can find the files.
const { service, store } = await ownService()
const { client, org, ids, fields } = await prepare(1, service)

const submit = (path: string, fileName: string) => {
  const body = { ...fields, originIds: ids, orgName: org, fileName }
  return client.post(path, path.includes('multi') ? [body] : body, { Prefer: 'respond-async' })
}

test.each(['', 'Part1of2'])('a publish onto a file of others that ends in "%s" is refused at once', async (end) => {
  const fileName = uniqueName('file')
  await store.put(`${org}/${fileName}${end}`, Buffer.from('of others'))
  const refused = await Promise.all(
    ['/1.0/publish/', '/1.0/publish/multi'].map(async (path) => {
      const { status, body, headers } = await submit(path, fileName)
      return [status, body.error, headers.get('Location')]
    }),
  )
  const message = `409 Conflict: fileName: "${fileName}" already exists in "${org}" and forceOverwrite is not true`
  expect(refused).toEqual([
    [409, message, null],
    [409, message, null],
  ])
  const { jobs } = (await client.get<{ jobs: { fileName: string }[] }>(`/1.0/jobs?orgName=${org}`)).body
  expect(jobs.filter((job) => job.fileName === fileName)).toEqual([])
  expect((await submit('/1.0/publish/multi?forceOverwrite=true', fileName)).status).toBe(202)
})
