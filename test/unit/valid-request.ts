import type { Issue } from '../../shared/errors/app-error.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

/** A valid publish request, which stores the node of one origin id. */
export const validRequest = {
  dbUrl: 'bolt://db.example:7687',
  credentials: `Basic ${Buffer.from('reader:pass').toString('base64')}`,
  mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title' },
  originIds: ['p1'],
  metadata: true,
  orgName: 'acme',
  fileName: 'people',
}

/** The valid request with changes; fields set to undefined are omitted. */
export const request = (changes: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...validRequest, ...changes }).filter(([, value]) => value !== undefined))

/** The validation issues of the valid request with changes. */
export const issuesOf = (changes: Record<string, unknown>): Issue[] => parsePublishRequest(request(changes)).issues

/** `count` different ids. */
export const ids = (count: number, prefix = 'id'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
