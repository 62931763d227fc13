import { useAsked } from '../data.ts'
import { modelHref } from '../links.ts'
import { useSignedIn } from '../session.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Table } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

interface Manager {
  grn: string
  name: string
  versions: { grn: string; name: string }[]
}

/** The data models that the token may see, each with its versions. */
export function Models() {
  const { ask, who } = useSignedIn()
  const asked = useAsked(['models', who.name], async (signal) => {
    const { managers } = await ask<{ managers: Omit<Manager, 'versions'>[] }>('GET', '/1.0/manager/', { signal })
    return Promise.all(
      managers.map(async (manager): Promise<Manager> => {
        const url = `/1.0/manager/versions/${encodeURIComponent(manager.grn)}`
        const { managerVersions } = await ask<{ managerVersions: Manager['versions'] }>('GET', url, { signal })
        return { ...manager, versions: managerVersions }
      }),
    )
  })
  return (
    <Page title="Models">
      <Shown of={asked}>
        {(managers) =>
          managers.length === 0 ? (
            <Empty>There is no model that this token may see.</Empty>
          ) : (
            <Table caption="Models, with their versions" columns={columns} rows={managers} />
          )
        }
      </Shown>
    </Page>
  )
}

const columns = [
  { title: 'Model', of: ({ name }: Manager) => name },
  {
    title: 'Versions',
    of: ({ versions }: Manager) =>
      versions.length === 0
        ? 'none'
        : versions.map(({ grn, name }) => (
            <a key={grn} class="item" href={modelHref(grn)}>
              version {name}
            </a>
          )),
  },
]
