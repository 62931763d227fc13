import { join } from 'node:path'
import { docker } from '../../../dev/stack/docker.ts'
import { native } from '../../../dev/stack/native/native.ts'
import { openRun } from '../../../dev/stack/run.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'

// Starts an S3 server as `npm start` does, stores an object under the name in argv, and prints the names in the bucket.
const run = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
try {
  const address = (await docker(run).s3()) ?? (await native(run, true).s3())
  if (address === undefined) throw new Error('no S3 server')
  const store = openMinioStore({ ...address, publicEndpoint: address.endpoint, bucket: 'names', timeoutSeconds: 20 })
  await store.prepare()
  await store.put(process.argv[2] as string, Buffer.from('{}'))
  const names: string[] = []
  for await (const { key } of store.list('')) names.push(key)
  console.log(JSON.stringify(names))
} finally {
  await run.stop()
}
