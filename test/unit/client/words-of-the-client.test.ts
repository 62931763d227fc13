import { expect, test } from 'vitest'
import { createMulti } from '../../../api/publish/create-multi.ts'
import { inClientsWords } from '../../../client/hints.ts'
import { staying } from '../../../client/request/publish-request.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import { tooManyDeletions, unusableBase } from '../../../shared/errors/of-states.ts'
import type { PublishFields } from '../../../shared/request/fields.ts'

// The service says this of a request without a place.
const place = {
  dbUrl: 'bolt://a',
  credentials: 'Basic YTpi',
  mappedIndices: { DEFAULT_INDEX: 'A', DEFAULT_ID_FIELD: 'id' },
}
const issues = createMulti.body?.read([{ ...place, originIds: ['a'], metadata: true }], {}).issues ?? []
const ofPlace = (field: string) => `${field}: ${issues.find(({ path }) => path === field)?.message}`

test.each([
  [errors.noSuchOrg('acme').message, 'create it with packets create'],
  [errors.fileExists('acme', 'people').message, '; pass --force to replace it'],
  [unusableBase('people', 'has no index: it was not published with asBase or base').message, '--force --as-base'],
  [tooManyDeletions('1 of 3 nodes', 0.1).message, '; --delete-missing=SHARE allows a larger share'],
  [ofPlace('fileName'), 'fileName: required; pass --name'],
  [ofPlace('orgName'), 'orgName: required; pass --org'],
])('the client advises what it offers: %s', (ofService, ofClient) => {
  expect(inClientsWords(ofService)).toContain(ofClient)
  expect(inClientsWords(ofService)).not.toMatch(/forceOverwrite|asBase|atMost|returnOnly|POST/)
})

test('a delta that deletes nothing is noted, also if another request of it deletes', () => {
  const noteOf = (...requests: object[]) => staying(requests as PublishFields[]).length
  expect(noteOf({ base: 'sunday' })).toBe(1)
  expect(noteOf({ base: 'sunday', deleteMissing: true }, { base: 'sunday', deleteMissing: false })).toBe(1)
  expect(noteOf({ base: 'sunday', deleteMissing: { atMost: 0.5 } })).toBe(0)
  expect(noteOf({ asBase: true }, { base: null })).toBe(0)
})
