import { expect, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { openSmallPublishes, untilUndisturbed } from '../support/clients/small-publish.ts'

vi.setConfig({ testTimeout: 120_000 })

const { requestsOf } = await openSmallPublishes()
/** Of these, a get and the removal of the request come after the answer. */
const fewest = { list: 2, get: 2, put: 4, copy: 1, remove: 1 }

test('a publish of one node takes ten requests to the store, two of them lists', async () => {
  await expect.poll(() => requestsOf('/1.0/publish/', {}), untilUndisturbed).toEqual(fewest)
})

test('a publish that overwrites takes ten requests to the store, two of them lists', async () => {
  const path = '/1.0/publish/multi?batchsize=10&forceOverwrite=true'
  const fileName = uniqueName('file')
  let metadata = true
  const overwrite = () => {
    metadata = !metadata // a file that is the same already is not copied
    return requestsOf(path, { fileName, metadata })
  }
  await overwrite()
  await expect.poll(overwrite, untilUndisturbed).toEqual(fewest)
})
