import { useRoute } from 'preact-iso'
import { statementVersions } from '../../client/format.ts'
import { describeProperty, pictureOfModel } from '../../client/picture/picture-of-model.ts'
import { path } from '../../client/service/requests.ts'
import { uniqueness } from '../../packet/cypher/schema.ts'
import type { Model as Exported } from '../../wire/model.ts'
import { useAsked } from '../data.ts'
import { useSignedIn } from '../session.ts'
import { Drawn } from '../ui/drawn.tsx'
import { Page } from '../ui/page.tsx'
import { Copy, Table } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

interface Version {
  managerVersion: { name: string }
}

/** A version of a data model: its node types and properties. */
export function Model() {
  const { grn = '' } = useRoute().params
  const { client, who } = useSignedIn()
  const asked = useAsked(['model', who.name, grn], async (signal) => {
    const model = await client.model(grn, signal)
    const { managerVersion } = await client.ask<Version>('GET', path`/1.0/manager/version/${grn}`, { signal })
    return { name: managerVersion.name, model }
  })
  return (
    <Page title={asked.data ? `Model ${asked.data.name}` : 'Model'}>
      <nav aria-label="Path" class="tabs">
        <a href="/console/models">Models</a>
      </nav>
      <p class="quiet">
        <code>{grn}</code>
      </p>
      <Shown of={asked}>
        {({ name, model }) => (
          <>
            <div class="actions">
              <Copy text={() => JSON.stringify(model, null, 2)}>Copy the export</Copy>
            </div>
            <Drawn picture={pictureOfModel(name, model)} />
            <Constraints model={model} />
            <Table caption="Node types" columns={typeColumns(model)} rows={model.nodeTypes} />
            <Table caption="Properties" columns={propertyColumns} rows={model.properties} />
          </>
        )}
      </Shown>
    </Page>
  )
}

/** The uniqueness of the model's id properties, as a target gets it. */
function Constraints({ model }: { model: Exported }) {
  const statements = model.nodeTypes.flatMap(({ key, properties }) =>
    properties.filter(({ unique }) => unique).map((property) => [key, property.key] as const),
  )
  if (statements.length === 0) return null
  const text = statements.map(([label, property]) => `${uniqueness(label, property)['5']};`).join('\n')
  return (
    <details>
      <summary>Constraints of a target, for {statementVersions['5']}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={() => text}>Copy the statements</Copy>
    </details>
  )
}

type NodeType = Exported['nodeTypes'][number]
type Property = Exported['properties'][number]
const typeOf = (property: Property) => String((property as Record<string, unknown>).dataType ?? 'any type')

function typeColumns({ properties }: Exported) {
  const types = new Map(properties.map((property) => [property.key, typeOf(property)]))
  return [
    { title: 'Node type', of: ({ key }: NodeType) => key },
    {
      title: 'Properties',
      of: ({ properties }: NodeType) => (
        <ul class="plain">
          {properties.map((property) => (
            <li key={property.key}>
              {describeProperty(property)}: {types.get(property.key) ?? 'any type'}
            </li>
          ))}
        </ul>
      ),
    },
  ]
}

const propertyColumns = [
  { title: 'Property', of: ({ key }: Property) => key },
  { title: 'Data type', of: typeOf },
]
