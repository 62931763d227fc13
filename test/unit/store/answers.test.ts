import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AppError } from '../../../shared/errors/app-error.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'
import { answerOf } from '../../../shared/store/store-answers.ts'

/** A store that answers every request like this. */
async function storeThat(answers: (answer: ServerResponse) => unknown) {
  let requests = 0
  const server = createServer((asked, answer) => {
    requests++
    asked.resume().on('end', () => answers(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { endpoint, publicEndpoint: endpoint, region: 'us-east-1', bucket: 'bucket', timeoutSeconds: 20 }
  const store = openMinioStore({ ...settings, accessKey: 'key', secretKey: 'secret' })
  const error = async (request: Promise<unknown>) => (await request.catch((thrown) => thrown)) as AppError
  return { store, error, requests: () => requests }
}

const body = (code: string, words: string) => `<Error><Code>${code}</Code><Message>${words}</Message></Error>`
const bytes = Buffer.from('{}')

test('a refusal is asked for once, and its code is in the message, its words in the cause', async () => {
  const words = 'Bucket limit of http://10.0.0.1 reached'
  const { store, error, requests } = await storeThat((answer) =>
    answer.writeHead(403).end(body('QuotaExceeded', words)),
  )
  const { status, code, retryable, message, cause } = await error(store.put('a/b', bytes))
  expect([status, code, retryable, message]).toEqual([
    ...[503, 'storeAway', true],
    'the object store refuses the request (QuotaExceeded); tell its operator if this persists',
  ])
  expect(answerOf(cause)).toEqual({ code: 'QuotaExceeded', words, isRefusal: true })
  expect(requests()).toBe(1)
  expect((await error(store.create('a/b', bytes))).message).toContain('QuotaExceeded')
})

test('a failure is asked for three times, and its code and words are kept, which the client library drops', async () => {
  const { store, error, requests } = await storeThat((answer) =>
    answer.writeHead(500).end(body('InternalError', 'no volume\n is left')),
  )
  const { message, cause } = await error(store.put('a/b', bytes))
  expect(message).toBe('the object store fails to serve the request (InternalError); try again later')
  expect(answerOf(cause)).toEqual({ code: 'InternalError', words: 'no volume is left', isRefusal: false })
  expect(requests()).toBe(3)
  expect(await store.create('a/b', bytes)).toBe('lost')
})

test('a failure without a body has the status as its code', async () => {
  const { store, error } = await storeThat((answer) => answer.writeHead(502).end())
  expect((await error(store.get('a/b'))).message).toContain('(HTTP 502)')
})

test('a body that arrived damaged is no refusal: the outcome of a create is unknown', async () => {
  const { store, error, requests } = await storeThat((answer) => answer.writeHead(400).end(body('BadDigest', 'no')))
  expect(await store.create('a/b', bytes)).toBe('lost')
  await error(store.put('a/b', bytes))
  expect(requests()).toBe(4)
})

test('a store that repeats a page of a listing gets an end, not a loop', async () => {
  const key = '<Contents><Key>a/b</Key><Size>1</Size></Contents>'
  const { store, error, requests } = await storeThat((answer) =>
    answer.end(`<ListBucketResult><IsTruncated>true</IsTruncated>${key}</ListBucketResult>`),
  )
  const all = async () => {
    for await (const _ of store.list('a/'));
  }
  expect(await error(all())).toMatchObject({ code: 'storeAway', cause: { message: 'a listing repeats a page' } })
  expect(requests()).toBe(2)
})
