import { expect, inject, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { createClient } from '../../dev/client.ts'
import { documented } from '../support/clients/documented.ts'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'

const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const names = { orgName: 'no-such-org', fileName: 'no-such-file', id: 'no-such-job' }

/** A sample path of each template, and the methods of all templates that match it; a fixed path only matches itself. */
const paths = [...Map.groupBy(endpoints, ({ path }) => path)].map(([template, [endpoint]]) => {
  const { path } = requestTo(endpoint as (typeof endpoints)[number], names)
  const fits = (other: string) => new RegExp(`^${other.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
  const sharing = endpoints.filter((one) =>
    template.includes(':') ? one.path.includes(':') && fits(one.path) : one.path === template,
  )
  const methods = sharing.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
  return [template, path, new Set([...methods, 'OPTIONS'])] as const
})

const allowed = (headers: Headers) => new Set(headers.get('Allow')?.split(', '))

test.each(paths)('%s lists its methods, without a token', async (_template, path, methods) => {
  const response = await fetch(apiUrl + path, { method: 'OPTIONS' })
  expect([response.status, await response.text(), allowed(response.headers)]).toEqual([204, '', methods])
})

test.each(paths)('%s refuses all other methods with 405', async (template, path, methods) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'].filter((one) => !methods.has(one))) {
    const { status, headers, body } = await client.call<Record<string, unknown>>(method, path)
    expect([method, status, allowed(headers)]).toEqual([method, 405, methods])
    const allow = headers.get('Allow')
    if (template.startsWith('/1.0/publish'))
      expect(body.error).toBe(`405 Method Not Allowed: this path supports ${allow}`)
    else expect(body).toMatchObject({ type: 'urn:problem:methodNotAllowed', detail: `this path supports ${allow}` })
  }
})

test.each(everyEndpoint.filter(([, { method }]) => method === 'get'))(
  '%s answers HEAD like GET, without the body',
  async (_, endpoint) => {
    const { path } = requestTo(endpoint, names)
    const get = await documented(client)('GET', path)
    const head = await fetch(apiUrl + path, { method: 'HEAD', headers: { Authorization: `Bearer ${tokens.all}` } })
    const told = ({ headers }: { headers: Headers }) =>
      ['Content-Type', 'Cache-Control', 'Retry-After'].map((name) => headers.get(name))
    expect([head.status, await head.text(), told(head)]).toEqual([get.status, '', told(get)])
  },
)

test.each(['/1.0', '/1.0/', '/1.0/nothing', '/1.0/publish/a/b/c', '/1.0/Jobs', '/nothing', '/'])(
  '%s is 404, whatever the method',
  async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect([method, (await fetch(apiUrl + path, { method })).status]).toEqual([method, 404])
  },
)
