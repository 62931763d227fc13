import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { number, plural } from '../../client/format.ts'
import { path } from '../../client/service/requests.ts'
import { ServiceError } from '../../client/service/service-error.ts'
import type { FileList } from '../../wire/publish-response.ts'
import { useAsked } from '../data.ts'
import { jobsHref, orgHref, packetHref, quoted, withQuery } from '../links.ts'
import { mayWrite, type Session, useSignedIn } from '../session.ts'
import { Filter } from '../ui/filter.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Name, Table, Time } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'
import { FromManifest } from './packet-brief.tsx'

interface OrgsPage {
  orgs: string[]
  next: string | null
}

export function Orgs() {
  const { query } = useLocation()
  const { after = '' } = query
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['orgs', who.name, after], (signal) =>
    client.ask<OrgsPage>('GET', '/1.0/orgs', { query: { after: after || undefined, limit: 200 }, signal }),
  )
  return (
    <Page title="Packets" about={after}>
      <Shown of={asked}>
        {({ orgs, next }) =>
          orgs.length === 0 && after === '' ? (
            <Empty
              command={
                mayWrite(session)
                  ? `curl -X POST -H "Authorization: Bearer $TOKEN" ${location.origin}/1.0/publish/acme`
                  : undefined
              }
            >
              There is no org that this token may see.
            </Empty>
          ) : (
            <>
              <Table
                caption="Orgs"
                columns={[
                  { title: 'Org', of: (org: string) => <a href={orgHref(org)}>{org}</a> },
                  { title: 'Jobs', of: (org: string) => <a href={jobsHref(org)}>jobs of {org}</a> },
                ]}
                rows={orgs}
              />
              <Pages next={next} after={after} href={(to) => withQuery('/console/packets', { after: to })} />
            </>
          )
        }
      </Shown>
    </Page>
  )
}

/** One row for each packet, as the parts of one stand together in the listing, and for each folder. */
interface Listed {
  /** Of a folder with the slash at its end. */
  name: string
  /** Parts of a packet, packets of a folder. */
  count: number
  expiresAt: string | null
}

const isFolder = ({ name }: Listed): boolean => name.endsWith('/')

export function Org() {
  const { org = '' } = useRoute().params
  const { query, route } = useLocation()
  const { prefix = '', has = '', after = '' } = query
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['files', who.name, org, prefix, has, after], (signal) =>
    client.ask<FileList>('POST', path`/1.0/publish/${org}/files`, {
      query: { after: after || undefined, limit: 1_000 },
      body: has ? { fileNames: [has], usePrefixes: false } : { fileNames: [prefix], usePrefixes: true },
      signal,
    }),
  )
  const [isPart, setPart] = useState(has !== '')
  const isMissing = asked.error instanceof ServiceError && asked.error.status === 404
  const search = (text: string) => route(withQuery(orgHref(org), isPart ? { has: text } : { prefix: text }))
  const folder = has ? '' : prefix.slice(0, prefix.lastIndexOf('/') + 1)
  return (
    <Page title={`Packets of ${org}`} about={`${org} ${prefix} ${after}`}>
      <nav aria-label="Path" class="tabs">
        <a href="/console/packets">Orgs</a>
        {folder !== '' && <a href={orgHref(org)}>{org}</a>}
        {foldersOf(folder).map((each) => (
          <a key={each} href={withQuery(orgHref(org), { prefix: each })}>
            <Name text={each} />
          </a>
        ))}
        <a href={jobsHref(org)}>Jobs of {org}</a>
      </nav>
      <Filter label={isPart ? 'Name has' : 'Name begins with'} text={has || prefix} action="Search" filter={search}>
        {() => (
          <label class="choice">
            <input type="checkbox" checked={isPart} onChange={({ currentTarget }) => setPart(currentTarget.checked)} />
            anywhere in the name
          </label>
        )}
      </Filter>
      {isMissing ? (
        <p class="problem" role="alert">
          There is no org of this name, or this token may not see it: it is for the orgs {who.orgs.join(', ') || 'none'}
          .
        </p>
      ) : (
        <Shown of={asked}>
          {({ fileNames, expiresAt, next }) =>
            (fileNames ?? []).length === 0 && after === '' ? (
              <Empty
                command={
                  prefix === '' && has === '' && mayWrite(session)
                    ? `packets publish request.json --org ${quoted(org)} --name airports.json`
                    : undefined
                }
              >
                {emptyText(prefix, has)}
              </Empty>
            ) : (
              <>
                <Table
                  caption={next === null && after === '' ? `All packets here` : 'Packets, in the order of their names'}
                  columns={columnsOf(org, session)}
                  rows={inFolders(listed(fileNames ?? [], expiresAt), has ? null : folder)}
                  isDense
                />
                <Pages next={next} after={after} href={(to) => withQuery(orgHref(org), { prefix, has, after: to })} />
              </>
            )
          }
        </Shown>
      )}
    </Page>
  )
}

function emptyText(prefix: string, has: string): string {
  if (has !== '') return `The org has no packet whose name has “${has}” in it.`
  return prefix === '' ? 'The org has no packets.' : `The org has no packet whose name begins with “${prefix}”.`
}

/** A folder and those above it: `a/b/` gives `a/` and `a/b/`. */
const foldersOf = (folder: string): string[] =>
  [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1))

const columnsOf = (org: string, session: Session) => [
  {
    title: 'Name',
    of: (row: Listed) => (
      <a href={isFolder(row) ? withQuery(orgHref(org), { prefix: row.name }) : packetHref(org, row.name)}>
        <Name text={row.name} />
      </a>
    ),
  },
  {
    title: 'Parts',
    of: (row: Listed) => (isFolder(row) ? plural(row.count, 'packet') : number.format(row.count)),
    isNumber: true,
  },
  {
    title: 'Published',
    of: (row: Listed) => (isFolder(row) ? '' : <FromManifest org={org} name={row.name} session={session} />),
  },
  {
    title: 'Expires',
    of: (row: Listed) => (isFolder(row) ? '' : row.expiresAt === null ? 'never' : <Time at={row.expiresAt} />),
  },
]

/** A page may end within a packet: then its number of parts comes from the names of the parts. */
function listed(names: readonly string[], expiresAt: readonly (string | null)[]): Listed[] {
  const rows = new Map<string, Listed>()
  for (const [index, file] of names.entries()) {
    const [, base, of] = /^(.+)Part[1-9]\d{0,4}of([1-9]\d{0,4})$/s.exec(file) ?? []
    const name = base ?? file
    if (!rows.has(name)) rows.set(name, { name, count: Number(of ?? 1), expiresAt: expiresAt[index] ?? null })
  }
  return [...rows.values()]
}

/** Packets below a folder as one row for each folder in it; null: no folders. */
function inFolders(rows: readonly Listed[], folder: string | null): Listed[] {
  if (folder === null) return [...rows]
  const found = new Map<string, Listed>()
  for (const row of rows) {
    const slash = row.name.indexOf('/', folder.length)
    const name = slash === -1 ? row.name : row.name.slice(0, slash + 1)
    const known = found.get(name)
    if (slash === -1) found.set(name, row)
    else found.set(name, { name, count: (known?.count ?? 0) + 1, expiresAt: null })
  }
  return [...found.values()]
}

function Pages({ next, after, href }: { next: string | null; after: string; href: (after: string) => string }) {
  return (
    <p class="pages">
      {after !== '' && <a href={href('')}>First page</a>}
      {next !== null && <a href={href(next)}>Next page</a>}
    </p>
  )
}
