import { useRoute } from 'preact-iso'
import { describeProperty, pictureOfModel } from '../../client/picture/picture-of-model.ts'
import type { Model as Exported } from '../../client/service-types.ts'
import { useAsked } from '../data.ts'
import { useSignedIn } from '../session.ts'
import { Drawn } from '../ui/drawn.tsx'
import { Page } from '../ui/page.tsx'
import { Copy, Table } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

/** A version of a data model: its node types and properties. */
export function Model() {
  const { grn = '' } = useRoute().params
  const { client, who } = useSignedIn()
  const asked = useAsked(['model', who.name, grn], (signal) => client.model(grn, signal))
  return (
    <Page title="Model">
      <p class="quiet">
        <code>{grn}</code>
      </p>
      <Shown of={asked}>
        {(model) => (
          <>
            <Drawn picture={pictureOfModel(grn, model)} />
            <Table caption="Node types" columns={typeColumns} rows={model.nodeTypes} />
            <Table caption="Properties" columns={propertyColumns} rows={model.properties} />
            <div class="actions">
              <Copy text={JSON.stringify(model, null, 2)}>Copy the export</Copy>
            </div>
          </>
        )}
      </Shown>
    </Page>
  )
}

type NodeType = Exported['nodeTypes'][number]
const typeColumns = [
  { title: 'Node type', of: ({ key }: NodeType) => key },
  {
    title: 'Properties',
    of: ({ properties }: NodeType) =>
      properties.map((property) => (
        <span key={property.key} class="item">
          {describeProperty(property)}
        </span>
      )),
  },
]

type Property = Exported['properties'][number]
const propertyColumns = [
  { title: 'Property', of: ({ key }: Property) => key },
  { title: 'Data type', of: (property: Property) => String((property as Record<string, unknown>).dataType ?? 'any') },
]
