import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { number, packetText, reportLines, requiresLines, size } from '../../client/format.ts'
import { pictureOfShape } from '../../client/picture/picture-of-shape.ts'
import { path } from '../../client/requests.ts'
import { ServiceError } from '../../client/service-error.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import type { FileList } from '../../wire/publish-response.ts'
import { useAsked } from '../data.ts'
import { jobHref, orgHref, quoted } from '../links.ts'
import { mayWrite, type Session, useSignedIn } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Drawn } from '../ui/drawn.tsx'
import { Page, useHere } from '../ui/page.tsx'
import { Copy, Facts, Table, Time } from '../ui/pieces.tsx'
import { Problem, Shown } from '../ui/shown.tsx'

/** What is in a packet, by its manifest; or what is known of a file of others. */
export function Packet() {
  const { org = '', name = '' } = useRoute().params
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['manifest', who.name, org, name], (signal) =>
    client.ask<PacketManifest>('GET', path`/1.0/publish/${org}/${name}/manifest`, { signal }),
  )
  const hasNoManifest = asked.error instanceof ServiceError && asked.error.status === 404
  return (
    <Page title={`${org}/${name}`} about={`${org}/${name}`}>
      {hasNoManifest ? (
        <Other org={org} name={name} session={session} />
      ) : (
        <Shown of={asked}>
          {(manifest) => (
            <>
              <p class="lead">{packetText(manifest.pairs, manifest.parts.length, manifest.bytes)}</p>
              <Actions key={manifest.packet} org={org} name={name} session={session} parts={manifest.parts.length} />
              <Manifest manifest={manifest} session={session} />
            </>
          )}
        </Shown>
      )}
    </Page>
  )
}

/** A file that others stored in the org, or nothing. */
function Other({ org, name, session }: { org: string; name: string; session: Session }) {
  const asked = useAsked(['other', session.who.name, org, name], (signal) =>
    session.client.ask<FileList>('POST', path`/1.0/publish/${org}/files`, {
      query: { limit: 1 },
      body: { fileNames: [name], usePrefixes: true },
      signal,
    }),
  )
  return (
    <Shown of={asked}>
      {({ fileNames }) =>
        fileNames?.[0] === name ? (
          <>
            <p>The service did not publish this file, so its content is not known.</p>
            <Actions key={name} org={org} name={name} session={session} parts={null} />
          </>
        ) : (
          <p>
            There is no packet of this name: it was removed, or has expired. See the{' '}
            <a href={orgHref(org)}>packets of {org}</a>.
          </p>
        )
      }
    </Shown>
  )
}

function Manifest({ manifest, session }: { manifest: PacketManifest; session: Session }) {
  const { packet, generation, jobId, createdAt, expiresAt, parts, sha256, shape, requires, report } = manifest
  const server = serverText(manifest)
  const lines = reportLines(report)
  const counts = shape?.counts ?? []
  return (
    <>
      {shape && <Drawn picture={pictureOfShape(packet, { shape, identities: requires.constraints })} />}
      {shape == null ? (
        <p>The packet was stored by a version that did not count what it is about.</p>
      ) : (
        <Table
          caption={`What the pairs are about${shape.others > 0 ? `; ${number.format(shape.others)} others are not listed` : ''}`}
          columns={aboutColumns}
          rows={counts}
        />
      )}
      <h2>What it leaves out</h2>
      {lines.length === 0 ? (
        <p>Nothing is missing, skipped or collapsed.</p>
      ) : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{printableLine(line)}</li>
          ))}
        </ul>
      )}
      <h2>What a target needs</h2>
      {requires.constraints.length === 0 ? (
        <p>{server}.</p>
      ) : (
        <Table
          caption={`${server}, with these constraints`}
          columns={constraintColumns(manifest)}
          rows={requires.constraints}
        />
      )}
      {requiresLines({ ...requires, constraints: [] })
        .slice(1)
        .map((line) => (
          <p key={line}>{line}</p>
        ))}
      <h2>Parts</h2>
      <Table caption={`Files of ${packet}`} columns={partColumns(manifest, session)} rows={parts} />
      <Facts
        of={[
          ['Generation', number.format(generation)],
          ['Published', <Time at={createdAt} />],
          ['Expires', expiresAt === null ? 'never' : <Time at={expiresAt} />],
          ['Job', <a href={jobHref(jobId)}>{jobId}</a>],
          ['Parameters', manifest.parameterSyntax],
          ['Numbers', manifest.numbers],
          ['SHA-256', <code>{sha256}</code>],
        ]}
      />
    </>
  )
}

type Count = NonNullable<PacketManifest['shape']>['counts'][number]
const kindNames: Record<Count['kind'], string> = {
  nodeUpsert: 'node upsert',
  relationshipUpsert: 'relationship upsert',
  relationshipCreate: 'relationship create',
  cleanup: 'cleanup',
  deleteProperties: 'delete of properties',
  nodeDelete: 'delete of nodes',
  postback: 'postback',
}
const aboutColumns = [
  { title: 'Statement', of: ({ kind }: Count) => kindNames[kind] ?? kind },
  { title: 'Label', of: ({ label }: Count) => label },
  { title: 'Type', of: ({ type }: Count) => type ?? '' },
  { title: 'To', of: ({ to }: Count) => to ?? '' },
  { title: 'Count', of: ({ count }: Count) => number.format(count), isNumber: true },
]

type Constraint = PacketManifest['requires']['constraints'][number]
/** Neo4j 4 and later refuse parameters in braces. */
const serverText = ({ requires: { server }, parameterSyntax }: PacketManifest) =>
  `Neo4j ${server}, or ${parameterSyntax === 'braces' ? 'a later one through a client that rewrites parameters, as packets replay does' : 'later'}`

const constraintColumns = ({ parameterSyntax }: PacketManifest) => [
  { title: 'Label', of: ({ label }: Constraint) => label },
  { title: 'Property', of: ({ property }: Constraint) => property },
  {
    title: 'Statement',
    of: ({ cypher }: Constraint) => <code>{cypher[parameterSyntax === 'braces' ? '3.5' : '5']}</code>,
  },
]

type Part = PacketManifest['parts'][number]
const partColumns = ({ packet, parts }: PacketManifest, session: Session) => [
  { title: 'File', of: ({ fileName }: Part) => fileName },
  { title: 'Pairs', of: ({ pairs }: Part) => number.format(pairs), isNumber: true },
  { title: 'Size', of: ({ bytes }: Part) => size(bytes), isNumber: true },
  { title: 'SHA-256', of: ({ sha256 }: Part) => <code>{sha256}</code> },
  ...(parts.length === 1
    ? []
    : [
        {
          title: 'Download',
          of: ({ fileName }: Part, at: number) => (
            <Download packet={packet} file={fileName} at={at} session={session} />
          ),
        },
      ]),
]

const linkSeconds = 300

interface Links {
  fileLocation: string | null
  fileLocations: string[] | null
}

interface DownloadProps {
  /** The packet, or file of others, with its org. */
  packet: string
  file: string
  /** The position of the part in the packet. */
  at: number
  session: Session
}

/**
 * Downloads a file: a part of a packet, or a file of others. Links are made at the click and kept nowhere. One file at a
 * time, because a browser cancels a download that another one follows at once.
 */
function Download({ packet, file, at, session }: DownloadProps) {
  const [error, setError] = useState<Error | null>(null)
  async function download(): Promise<void> {
    setError(null)
    const [org, name] = [packet.slice(0, packet.lastIndexOf('/')), packet.slice(packet.lastIndexOf('/') + 1)]
    try {
      const query = { lifetime: linkSeconds }
      const url = path`/1.0/publish/${org}/${name}/url`
      const { fileLocation, fileLocations } = await session.client.ask<Links>('GET', url, { query })
      const links = fileLocations ?? [fileLocation ?? '']
      const link = document.createElement('a')
      link.href = links[at] as string
      link.rel = 'noreferrer'
      link.download = ''
      link.click()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <>
      <button type="button" onClick={download} aria-label={`Download ${file}`}>
        Download
      </button>
      {error && <Problem error={error} />}
    </>
  )
}

interface ActionProps {
  org: string
  name: string
  session: Session
  /** null: the file is no packet. */
  parts: number | null
}

function Actions({ org, name, session, parts }: ActionProps) {
  const { route } = useLocation()
  const isHere = useHere()
  const remove = async () => {
    await session.client.remove(org, name)
    if (isHere()) route(orgHref(org))
  }
  return (
    <div class="actions">
      {(parts ?? 1) === 1 && <Download packet={`${org}/${name}`} file={name} at={0} session={session} />}
      {parts !== null && (
        <Copy text={() => `packets get ${quoted(`${org}/${name}`)} --url ${location.origin}`}>Copy as packets</Copy>
      )}
      {mayWrite(session) && (
        <Confirm title="Remove" refusal="Keep it" typed={name} act={remove}>
          <p>
            Nobody will be able to read <strong>{printableLine(`${org}/${name}`)}</strong>.
          </p>
        </Confirm>
      )}
    </div>
  )
}
