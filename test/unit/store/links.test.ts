import { create as contentDisposition } from 'content-disposition'
import fc from 'fast-check'
import { Client } from 'minio'
import { afterEach, expect, test, vi } from 'vitest'
import type { StoreSettings } from '../../../shared/config/config.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'
import { only } from '../../support/values/only.ts'

const account = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
afterEach(() => void vi.useRealTimers())

/** An endpoint with its region and bucket, and where its links begin. */
const endpoints: [publicEndpoint: string, region: string, bucket: string, begins: string][] = [
  ['http://127.0.0.1:9000', 'us-east-1', 'publish', 'http://127.0.0.1:9000/publish/'],
  ['http://store.example:80', 'us-east-1', 'publish', 'http://store.example/publish/'],
  ['https://store.example:443', 'eu-1', 'my.bucket', 'https://store.example/my.bucket/'],
  ['https://store.example:9000', 'eu-1', 'publish', 'https://store.example:9000/publish/'],
  ['http://store.example:443', 'eu-1', 'publish', 'http://store.example:443/publish/'],
  ['https://s3.eu-west-1.amazonaws.com', 'eu-west-1', 'publish', 'https://s3.eu-west-1.amazonaws.com/publish/'],
  ['https://s3.amazonaws.com', 'eu-west-1', 'publish', 'https://publish.s3.eu-west-1.amazonaws.com/'],
  ['https://s3.amazonaws.com', 'eu-west-1', 'my.bucket', 'https://s3.eu-west-1.amazonaws.com/my.bucket/'],
]

test.each(endpoints)(
  'links equal the ones of the minio client: %s, %s, %s',
  async (publicEndpoint, region, bucket, begins) => {
    const store = openMinioStore(
      only<StoreSettings>({ ...account, timeoutSeconds: 5, endpoint: publicEndpoint, publicEndpoint, region, bucket }),
    )
    const { hostname: endPoint, port, protocol } = new URL(publicEndpoint)
    const useSSL = protocol === 'https:'
    const client = new Client({
      ...account,
      endPoint,
      useSSL,
      region,
      pathStyle: true,
      ...(port ? { port: Number(port) } : {}),
    })
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => text.isWellFormed())
    const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { minLength: 1, maxLength: 3 }),
        name.filter((text) => !text.includes('/')),
        fc.integer({ min: 1, max: 604_800 }),
        time,
        async (parts, fileName, seconds, now) => {
          vi.useFakeTimers({ toFake: ['Date'], now })
          const key = parts.join('/')
          const query = { 'response-content-disposition': contentDisposition(fileName) }
          const link = await store.sign(key, seconds, `folder/${fileName}`)
          expect(link).toBe(await client.presignedGetObject(bucket, key, seconds, query))
          expect(link.startsWith(begins)).toBe(true)
        },
      ),
      { numRuns: 30 },
    )
  },
)
