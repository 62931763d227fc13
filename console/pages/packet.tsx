import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { number, packetText, plural, reportLines, requiresLines, size, statementVersions } from '../../client/format.ts'
import { pictureOfShape } from '../../client/picture/picture-of-shape.ts'
import { delay } from '../../client/service/delay.ts'
import { path } from '../../client/service/requests.ts'
import { ServiceError } from '../../client/service/service-error.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import type { FileList } from '../../wire/publish-response.ts'
import { useAsked } from '../data.ts'
import { jobHref, jobsHref, orgHref, packetHref, quoted } from '../links.ts'
import { mayWrite, type Session, useSignedIn } from '../session.ts'
import { About } from '../ui/about.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Drawn } from '../ui/drawn.tsx'
import { Page, useHere } from '../ui/page.tsx'
import { Copy, Facts, Name, Table, Time } from '../ui/pieces.tsx'
import { Problem, Shown } from '../ui/shown.tsx'
import { Statements } from './packet-statements.tsx'

/** What is in a packet, by its manifest; or what is known of a file of others. */
export function Packet() {
  const { org = '', name = '' } = useRoute().params
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['manifest', who.name, org, name], (signal) =>
    client.ask<PacketManifest>('GET', path`/1.0/publish/${org}/${name}/manifest`, {
      query: { replaced: 'true' },
      signal,
    }),
  )
  const hasNoManifest = asked.error instanceof ServiceError && asked.error.status === 404
  return (
    <Page title={`${org}/${name}`} about={`${org}/${name}`}>
      <nav aria-label="Path" class="tabs">
        <a href="/console/packets">Orgs</a>
        <a href={orgHref(org)}>
          <Name text={org} />
        </a>
        <a href={jobsHref(org)}>Jobs of {org}</a>
      </nav>
      {hasNoManifest ? (
        <Other org={org} name={name} session={session} />
      ) : (
        <Shown of={asked}>
          {(manifest) => (
            <>
              <p class="lead">{packetText(manifest.pairs, manifest.parts.length, manifest.bytes)}</p>
              <Actions key={manifest.packet} org={org} name={name} session={session} parts={manifest.parts.length} />
              <Manifest manifest={manifest} org={org} session={session} />
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

function Manifest({ manifest, org, session }: { manifest: PacketManifest; org: string; session: Session }) {
  const { packet, generation, jobId, createdAt, expiresAt, parts, sha256, shape, requires, report, replaced } = manifest
  const server = serverText(manifest)
  const lines = reportLines(report)
  return (
    <>
      {shape && <Drawn picture={pictureOfShape(packet, { shape, identities: requires.constraints })} />}
      {shape == null ? (
        <p>The packet was stored by a version that did not count what it is about.</p>
      ) : (
        <About shape={shape} before={replaced?.shape} names={['Before', 'Now']} />
      )}
      {replaced && <Replaced manifest={manifest} replaced={replaced} />}
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
        <Table caption={`${server}, with these constraints`} columns={constraintColumns} rows={requires.constraints} />
      )}
      {requires.constraints.length > 0 && (
        <p>
          <Copy text={() => statementsOf(requires.constraints, '5')}>Copy for {statementVersions['5']}</Copy>{' '}
          <Copy text={() => statementsOf(requires.constraints, '3.5')}>Copy for {statementVersions['3.5']}</Copy>
        </p>
      )}
      {syntaxText(manifest) && <p>{syntaxText(manifest)}</p>}
      {requiresLines({ ...requires, constraints: [] })
        .slice(1)
        .map((line) => (
          <p key={line}>{line}</p>
        ))}
      <h2>Statements</h2>
      <Statements manifest={manifest} org={org} session={session} />
      <h2>Parts</h2>
      {parts.length > 1 && <DownloadAll packet={packet} parts={parts.length} session={session} />}
      <Table caption={`Files of ${packet}`} columns={partColumns(manifest, session)} rows={parts} />
      <Facts
        of={[
          ['Generation', number.format(generation)],
          ['Published', <Time at={createdAt} />],
          ['Expires', expiresAt === null ? 'never' : <Time at={expiresAt} />],
          ['Job', <a href={jobHref(jobId)}>{jobId}</a>],
          ...facts(manifest, org),
          ['Parameters', manifest.parameterSyntax],
          ['Numbers', manifest.numbers],
          ['SHA-256', <code>{sha256}</code>],
        ]}
      />
    </>
  )
}

/** What only some packets have. */
function* facts({ base, state, masking }: PacketManifest, org: string): Generator<[string, ComponentChildren]> {
  const baseName = base?.packet.slice(org.length + 1)
  if (baseName) yield ['Delta of', <a href={packetHref(org, baseName)}>{printableLine(baseName)}</a>]
  if (state) {
    const { nodes, relationships } = state
    yield ['May be a base', `of ${plural(nodes, 'node')} and ${plural(relationships, 'relationship')}`]
  }
  if (masking) yield ['Values', 'masked']
}

type ReplacedProps = { manifest: PacketManifest; replaced: NonNullable<PacketManifest['replaced']> }

/** What is known of the packet that this one replaced. Counts may agree where values of properties differ. */
function Replaced({ manifest, replaced }: ReplacedProps) {
  const { createdAt, pairs, bytes, sha256 } = replaced
  return (
    <p>
      It replaced a packet of {packetSize(pairs, bytes)}, published <Time at={createdAt} isWhole />
      {sha256 === manifest.sha256 ? ', with the same content.' : '. Its content was different.'}
    </p>
  )
}

const packetSize = (pairs: number, bytes: number): string => `${plural(pairs, 'pair')} and ${size(bytes)}`

type Constraint = PacketManifest['requires']['constraints'][number]
const serverText = ({ requires: { server } }: PacketManifest) => `Neo4j ${server} or later`

/** Neo4j 4 and later refuse parameters in braces. */
const syntaxText = ({ parameterSyntax }: PacketManifest) =>
  parameterSyntax === 'dollar'
    ? ''
    : 'Its parameters stand in braces, which Neo4j 4 and later refuse: a client must rewrite them, as packets replay does.'

const statementsOf = (constraints: readonly Constraint[], version: '5' | '3.5') =>
  constraints.map(({ cypher }) => `${cypher[version]};`).join('\n')

const constraintColumns = [
  { title: 'Label', of: ({ label }: Constraint) => label },
  { title: 'Property', of: ({ property }: Constraint) => property },
  { title: statementVersions['5'], of: ({ cypher }: Constraint) => <code>{cypher['5']};</code> },
  { title: statementVersions['3.5'], of: ({ cypher }: Constraint) => <code>{cypher['3.5']};</code> },
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

/** Between the starts of two downloads, because a browser cancels one that another one follows at once. */
const apartMs = 1_500

/** Downloads all parts, one after the other. */
function DownloadAll({ packet, parts, session }: { packet: string; parts: number; session: Session }) {
  const [error, setError] = useState<Error | null>(null)
  const [started, setStarted] = useState(0)
  const isHere = useHere()
  async function downloadAll(): Promise<void> {
    setError(null)
    try {
      const links = await linksOf(packet, session)
      for (const [at, link] of links.entries()) {
        if (!isHere()) return
        follow(link)
        setStarted(at + 1)
        await delay(apartMs)
      }
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <p>
      <button type="button" onClick={downloadAll} disabled={started > 0 && started < parts}>
        Download all {number.format(parts)} parts
      </button>{' '}
      <span role="status">
        {started > 0 && `Began ${number.format(started)} of ${number.format(parts)} downloads.`}
      </span>
      {error && <Problem error={error} />}
    </p>
  )
}

/** Links to the parts of a packet, in order. They are kept nowhere. */
async function linksOf(packet: string, session: Session): Promise<string[]> {
  const [org, name] = [packet.slice(0, packet.lastIndexOf('/')), packet.slice(packet.lastIndexOf('/') + 1)]
  const query = { lifetime: linkSeconds }
  const url = path`/1.0/publish/${org}/${name}/url`
  const { fileLocation, fileLocations } = await session.client.ask<Links>('GET', url, { query })
  return fileLocations ?? [fileLocation ?? '']
}

function follow(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.rel = 'noreferrer'
  link.download = ''
  link.click()
}

/**
 * Downloads a file: a part of a packet, or a file of others. Links are made at the click and kept nowhere. One file at a
 * time, because a browser cancels a download that another one follows at once.
 */
function Download({ packet, file, at, session }: DownloadProps) {
  const [error, setError] = useState<Error | null>(null)
  async function download(): Promise<void> {
    setError(null)
    try {
      follow((await linksOf(packet, session))[at] as string)
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
