import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { path } from '../../client/service/requests.ts'
import { useAsked } from '../data.ts'
import { modelHref, withQuery } from '../links.ts'
import { useSignedIn } from '../session.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Table } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

interface Named {
  grn: string
  name: string
}

interface ManagersPage {
  managers: Named[]
  next?: string | null
}

/** The data models that the token may see. */
export function Models() {
  const { query } = useLocation()
  const { after = '' } = query
  const { client, who } = useSignedIn()
  const asked = useAsked(['models', who.name, after], (signal) =>
    client.ask<ManagersPage>('GET', '/1.0/manager/', { query: { after: after || undefined, limit: 200 }, signal }),
  )
  return (
    <Page title="Models" about={after}>
      <Shown of={asked}>
        {({ managers, next }) =>
          managers.length === 0 && after === '' ? (
            <Empty>There is no model that this token may see.</Empty>
          ) : (
            <>
              <Table caption="Models, with their versions" columns={columns} rows={managers} keyOf={({ grn }) => grn} />
              <p class="pages">
                {after !== '' && <a href="/console/models">First page</a>}
                {next && <a href={withQuery('/console/models', { after: next })}>Next page</a>}
              </p>
            </>
          )
        }
      </Shown>
    </Page>
  )
}

const columns = [
  { title: 'Model', of: ({ name }: Named) => name },
  { title: 'Versions', of: ({ grn, name }: Named) => <Versions manager={grn} name={name} /> },
]

/** The versions of a model, which are asked for when the user opens the list. */
function Versions({ manager, name }: { manager: string; name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>versions of {printableLine(name)}</summary>
      {isOpen && <VersionLinks manager={manager} />}
    </details>
  )
}

function VersionLinks({ manager }: { manager: string }) {
  const { client, who } = useSignedIn()
  const asked = useAsked(['versions', who.name, manager], (signal) =>
    client.ask<{ managerVersions: Named[] }>('GET', path`/1.0/manager/versions/${manager}`, { signal }),
  )
  return (
    <Shown of={asked}>
      {({ managerVersions }) => (
        <ul class="plain">
          {managerVersions.map(({ grn, name }) => (
            <li key={grn}>
              <a href={modelHref(grn)}>{printableLine(name)}</a>
            </li>
          ))}
        </ul>
      )}
    </Shown>
  )
}
