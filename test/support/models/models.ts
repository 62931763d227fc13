import { expect } from 'vitest'
import type { createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'

/** A manager answer: a record, or a list of records, under the key of its kind; or a problem. */
export type ManagerAnswer = Record<string, ModelObject> & { status?: number; detail?: string; errors?: unknown[] }
export type ModelObject = { grn: string; name: string; key: string; enver: number } & Record<string, unknown>

type Client = ReturnType<typeof createClient>

/** A client of the manager area. */
export function managerClient({ call }: Client) {
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call<ManagerAnswer>(method, `/1.0/manager/${path}`, body, headers)
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body: unknown = {}) => send('POST', path, body),
    put: (path: string, body: unknown, headers?: Record<string, string>) => send('PUT', path, body, headers),
    delete: (path: string) => send('DELETE', path),
    /** Posts, expects a 200, and returns the one record of the answer. */
    async made(path: string, body: unknown = {}): Promise<ModelObject> {
      const answer = await send('POST', path, body)
      expect([answer.status, answer.body]).toEqual([200, expect.anything()])
      return Object.values(answer.body)[0] as ModelObject
    },
  }
}

export type ManagerClient = ReturnType<typeof managerClient>

export const someOrg = 'grn:gg:org:0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh'

/** A new manager and its first version. */
export async function newModel(client: ManagerClient, name = uniqueName('model')) {
  const manager = await client.made(someOrg, { name })
  const { body } = await client.get(`versions/${manager.grn}`)
  const [version] = body.managerVersions as unknown as ModelObject[]
  return { name, manager, version: version as ModelObject }
}

export const anyGrn = (type: string) => expect.stringMatching(new RegExp(`^grn:gg:${type}:[0-9A-Za-z]{44}$`))
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A record as entries, so that key order is compared too. Seed, Manager-area resources. */
export const entriesOf = (label: string, own: Record<string, unknown>, { enver = 0, by = 'all' } = {}) => [
  ['id', expect.any(Number)],
  ['labels', []],
  ['enver', enver],
  ['createdAt', time],
  ['updatedAt', time],
  ['createdBy', by],
  ['lastModifiedBy', by],
  ['grn', anyGrn(label.toLowerCase())],
  ...Object.entries(own),
  ['grnType', label.toLowerCase()],
  ['label', label],
]

/** The status, wrapper key and record entries of an answer. */
export function shapeOf({ status, body }: { status: number; body: ManagerAnswer }) {
  const [[wrapper, record] = ['', {}]] = Object.entries(body)
  return [status, wrapper, Object.entries(record as object)]
}

/** Reads lists, and imports and exports versions as documents. */
export const documentsOf = (client: ManagerClient) => ({
  listed: async (path: string) => Object.values((await client.get(path)).body)[0] as unknown as ModelObject[],
  importInto: (version: ModelObject, document: object) => client.post(`import/${version.grn}`, document),
  exportOf: async (version: ModelObject) => (await client.get(`export/${version.grn}`)).body,
})
