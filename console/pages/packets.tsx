import { useLocation, useRoute } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { path } from '../../client/requests.ts'
import type { FileList } from '../../wire/publish-response.ts'
import { useAsked } from '../data.ts'
import { jobsHref, orgHref, packetHref, quoted, withQuery } from '../links.ts'
import { mayWrite, useSignedIn } from '../session.ts'
import { Filter } from '../ui/filter.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Table, Time } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

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

/** One row for each packet: the parts of one stand together in the listing. */
interface Listed {
  name: string
  files: number
  expiresAt: string | null
}

export function Org() {
  const { org = '' } = useRoute().params
  const { query, route } = useLocation()
  const { prefix = '', after = '' } = query
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['files', who.name, org, prefix, after], (signal) =>
    client.ask<FileList>('POST', path`/1.0/publish/${org}/files`, {
      query: { after: after || undefined, limit: 1_000 },
      body: { fileNames: [prefix], usePrefixes: true },
      signal,
    }),
  )
  return (
    <Page title={`Packets of ${org}`} about={`${org} ${after}`}>
      <p>
        <a href={jobsHref(org)}>Jobs of {org}</a>
      </p>
      <Filter
        label="Name begins with"
        text={prefix}
        action="Search"
        filter={(text) => route(withQuery(orgHref(org), { prefix: text }))}
      />
      <Shown of={asked}>
        {({ fileNames, expiresAt, next }) =>
          (fileNames ?? []).length === 0 && after === '' ? (
            <Empty
              command={
                prefix === '' && mayWrite(session)
                  ? `packets publish request.json --org ${quoted(org)} --name airports.json`
                  : undefined
              }
            >
              {prefix === '' ? 'The org has no packets.' : `The org has no packet whose name begins with “${prefix}”.`}
            </Empty>
          ) : (
            <>
              <Table caption={`Packets of ${org}`} columns={columnsOf(org)} rows={listed(fileNames ?? [], expiresAt)} />
              <Pages next={next} after={after} href={(to) => withQuery(orgHref(org), { prefix, after: to })} />
            </>
          )
        }
      </Shown>
    </Page>
  )
}

const columnsOf = (org: string) => [
  { title: 'Name', of: ({ name }: Listed) => <a href={packetHref(org, name)}>{printableLine(name)}</a> },
  { title: 'Parts', of: ({ files }: Listed) => files, isNumber: true },
  { title: 'Expires', of: ({ expiresAt }: Listed) => (expiresAt === null ? 'never' : <Time at={expiresAt} />) },
]

/** A page may end within a packet: then its number of parts comes from the names of the parts. */
function listed(names: readonly string[], expiresAt: readonly (string | null)[]): Listed[] {
  const rows = new Map<string, Listed>()
  for (const [index, file] of names.entries()) {
    const [, base, of] = /^(.+)Part[1-9]\d{0,4}of([1-9]\d{0,4})$/s.exec(file) ?? []
    const name = base ?? file
    if (!rows.has(name)) rows.set(name, { name, files: Number(of ?? 1), expiresAt: expiresAt[index] ?? null })
  }
  return [...rows.values()]
}

function Pages({ next, after, href }: { next: string | null; after: string; href: (after: string) => string }) {
  return (
    <p class="pages">
      {after !== '' && <a href={href('')}>First page</a>}
      {next !== null && <a href={href(next)}>Next page</a>}
    </p>
  )
}
