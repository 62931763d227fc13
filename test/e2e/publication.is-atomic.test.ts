import { Client } from 'minio'
import { expect, inject, test, vi } from 'vitest'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { prepare } from '../support/clients/e2e.ts'
import { drawRing } from '../support/graphs/social-graph.ts'

const { client, org, ids, fields, driver, label } = await prepare(60)

test('exactly one of 20 concurrent writers of one name wins, the others get 409', async () => {
  const request = { ...fields, originIds: ids.slice(0, 5), orgName: org, fileName: 'contested' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/1.0/publish/', request)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  // Location names the holder: the winner, or a later writer that lost at its commit.
  const isHeld = ({ body }: { body: { error: string | null } }) =>
    body.error?.includes('another publish is writing') === true
  expect(answers.filter(isHeld).length).toBeGreaterThan(0)
  const holders = answers.filter((answer) => !isHeld(answer)).map(({ headers }) => headers.get('Location'))
  for (const answer of answers.filter(isHeld)) expect(holders).toContain(answer.headers.get('Location'))
})

test('a concurrent reader only sees whole packets while five of different sizes replace each other', async () => {
  const fileName = 'rewritten'
  const publish = async (marker: string, batchSize: number) => {
    await drawRing(driver, label, 60, marker)
    const body = [{ ...fields, originIds: ids, relationships: [], orgName: org, fileName }]
    const { status } = await client.post(`/1.0/publish/multi?batchsize=${batchSize}&forceOverwrite=true`, body)
    expect(status).toBe(200)
    published = marker
  }
  let published = ''
  const wholeOf = new Map([
    ['v0', 60],
    ['v1', 7],
    ['v2', 60],
    ['v3', 20],
    ['v4', 13],
    ['v5', 9],
  ])
  await publish('v0', 60)
  let isWriting = true
  // Readings that began with the packet before a commit, and ended after it.
  let acrossCommits = 0
  const read = async () => {
    while (isWriting) {
      const before = published
      const { text, body } = await client.get(`/1.0/publish/${org}/${fileName}`)
      const parts = body.transactionRequests ?? [body.transactionRequest]
      const pairs = parts.flatMap((part) => part?.statements as { parameters: { marker: string } }[])
      const markers = new Set(pairs.map(({ parameters }) => parameters.marker))
      expect([text.length > 0, pairs.length, markers.size]).toEqual([true, 60, 1])

      const listed = (await client.get(`/1.0/publish/${org}?filter=${fileName}`)).body.fileNames ?? []
      // While S3Proxy 4.1 writes an object, it lists it with a hyphen and a UUID after its name.
      const fileNames = listed.filter((name) => !/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name))
      const counts = new Set(fileNames.map((name) => /of(\d+)$/.exec(name)?.[1] ?? '1'))
      expect([counts.size, Number([...counts][0])], String(listed)).toEqual([1, fileNames.length])

      const { fileLocation, fileLocations } = (await client.get(`/1.0/publish/${org}/${fileName}/url`)).body
      const texts = await Promise.all(
        (fileLocations ?? [fileLocation as string]).map(async (url) => (await fetch(url)).text()),
      )
      const downloaded = texts.flatMap(parsePart)
      expect([downloaded.length, new Set(downloaded.map(({ parameters }) => parameters.marker)).size]).toEqual([60, 1])
      if (markers.has(before) && published !== before) acrossCommits++
    }
  }
  const readers = [read(), read()]
  for (let round = 0; round < 10 && acrossCommits === 0; round++) {
    for (const [marker, batchSize] of [...wholeOf].slice(1)) await publish(marker, batchSize)
  }
  isWriting = false
  await Promise.all(readers)
  expect(acrossCommits).toBeGreaterThan(0)
  expect((await client.get(`/1.0/publish/${org}?filter=${fileName}`)).body.fileNames?.length).toBe(7)
})

test('a packet that loses its name during the build is a 409, and leaves no staged part', async () => {
  const publish = async (fileName: string) => {
    const large = Array.from({ length: 300 }, () => ({ ...fields, originIds: ids, orgName: org, fileName }))
    const submitted = await client.post('/1.0/publish/multi?batchsize=500', large, { Prefer: 'respond-async' })
    const small = [{ ...fields, originIds: ['p1'], orgName: org, fileName }]
    const overwriting = await client.post('/1.0/publish/multi?forceOverwrite=true', small)
    expect(overwriting.status).toBe(200)
    const job = await client.followJob(submitted.headers.get('Location') as string)
    const taking = await client.followJob(overwriting.headers.get('Location') as string)
    return { fileName, job, isTooLate: String(taking.finishedAt) > String(job.finishedAt) }
  }
  // The large one may be done before the other one is there.
  let tried = await publish('lost')
  for (let round = 0; round < 5 && tried.isTooLate; round++) tried = await publish(`lost-${round}`)
  const { fileName, job } = tried
  expect([job.state, job.error?.status, job.error?.code]).toEqual(['failed', 409, 'fileExists'])
  expect(job.progress.parts).toBeGreaterThan(1)
  expect((await client.get(`/1.0/publish/${org}?filter=${fileName}`)).body.fileNames).toEqual([fileName])
  const { endpoint, region, accessKey, secretKey } = inject('stack').s3
  const { hostname, port } = new URL(endpoint)
  const store = new Client({ endPoint: hostname, port: Number(port), useSSL: false, region, accessKey, secretKey })
  // The staged parts of a large multi's slices are removed after the job has failed.
  await vi.waitFor(
    async () => {
      const staged: string[] = []
      for await (const { name } of store.listObjectsV2(inject('service').bucket, `${org}/`, true)) {
        if (name?.includes(job.id)) staged.push(name)
      }
      expect(staged).toEqual([])
    },
    { timeout: 60_000 },
  )
})
