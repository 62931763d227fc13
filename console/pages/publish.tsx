import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { plural } from '../../client/format.ts'
import { pictureOfShape } from '../../client/picture/picture-of-shape.ts'
import { dryRunLines } from '../../client/request/dry-run-lines.ts'
import { jsonFault } from '../../client/request/json-fault.ts'
import { path } from '../../client/service/requests.ts'
import { ServiceError } from '../../client/service/service-error.ts'
import type { PublishFields as Request } from '../../shared/request/fields.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import { jobHref, quoted } from '../links.ts'
import { mayRead, mayWrite, type Session, useSignedIn } from '../session.ts'
import { About } from '../ui/about.tsx'
import { Drawn } from '../ui/drawn.tsx'
import { Page, useHere } from '../ui/page.tsx'
import { Copy } from '../ui/pieces.tsx'
import { Problem } from '../ui/shown.tsx'
import { PublishFields } from './publish-fields.tsx'
import { keepingNumbers, requestsIn } from './request-text.ts'

const exampleIn = (org: string, name = 'airports.json') => `{
  "dbUrl": "bolt://origin.example:7687",
  "mappedIndices": {"DEFAULT_INDEX": "Airport", "DEFAULT_ID_FIELD": "iata"},
  "originIds": ["SEA", "JFK"],
  "metadata": true,
  "relationships": ["FLIGHT>"],
  "orgName": ${JSON.stringify(org)},
  "fileName": ${JSON.stringify(name)}
}`

/** The request that a user last wrote, for when he comes back to the page or has signed in again. */
let draft: { of: string; text: string; user: string } | null = null

/** What was tried, and what the service answered. Only the same may be published. */
interface Tried {
  request: string
  dryRun: DryRun
  sample: string
  /** The packet's name, and what the packet of that name is about that exists. */
  name: string
  before: PacketManifest['shape']
  /** The packet on which it would build, if it would. */
  base: unknown
}

export function Publish() {
  const session = useSignedIn()
  return (
    <Page title="Publish">
      {mayWrite(session) ? <Editor session={session} /> : <p>The token lacks the scope publish:write.</p>}
    </Page>
  )
}

/** Browsers have `randomUUID` only at addresses that they consider secure. */
const newKey = (): string => crypto.getRandomValues(new Uint8Array(16)).join('-')

/** Composes a publish, which must be tried first. The field of the password is emptied when the service has the job. */
function Editor({ session }: { session: Session }) {
  const { route, query } = useLocation()
  const isHere = useHere()
  const ownOrg = session.who.orgs.find((org) => org !== '*') ?? 'acme'
  const own = draft?.of === session.who.name ? draft : null
  const [text, setText] = useState(() => (own && !query.name ? own.text : exampleIn(query.org ?? ownOrg, query.name)))
  const [user, setUser] = useState(own?.user ?? 'neo4j')
  draft = { of: session.who.name, text, user }
  const editor = useRef<HTMLTextAreaElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const [tried, setTried] = useState<Tried | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const [accepted, setAccepted] = useState<string | null>(null)
  const waiting = useRef<AbortController | null>(null)
  const [isForced, setForced] = useState(false)
  const [names, setNames] = useState<OriginNames | null>(null)
  const [created, setCreated] = useState<string | null>(null)
  // Sent again, the publish that was tried is the same job.
  const request = JSON.stringify([text, user, isForced])
  const [key, setKey] = useState(newKey)

  /** Puts the cursor where the text stops being JSON. */
  function showFault(): void {
    const offset = jsonFault(text)?.offset ?? 0
    editor.current?.focus()
    editor.current?.setSelectionRange(offset, offset + 1)
  }

  async function send(work: (requests: Request[]) => Promise<void>): Promise<void> {
    if (isSending) return
    setSending(true)
    setError(null)
    setAccepted(null)
    try {
      await work(withCredentials(text, user, password.current?.value ?? ''))
    } catch (failure) {
      if (waiting.current?.signal.aborted) return
      if (failure instanceof SyntaxError) showFault()
      setError(failure as Error)
    } finally {
      setSending(false)
      waiting.current = null
    }
  }

  const tryIt = () =>
    send(async (given) => {
      if (tried?.request !== request) setKey(newKey())
      setTried(null)
      waiting.current = new AbortController()
      const answer = await session.client.dryRun(given.map(withoutBase), isForced, waiting.current.signal)
      const { dryRun } = JSON.parse(answer) as { dryRun: DryRun }
      const { orgName, fileName } = given[0] ?? {}
      const signal = waiting.current.signal
      const isThere = isForced || dryRun.wouldConflict
      const before = isThere ? await shapeOf(session, orgName, fileName, signal) : null
      const base = given[0]?.base
      setTried({ request, dryRun, sample: sampleIn(answer), name: `${orgName}/${fileName}`, before, base })
    })
  const readNames = () =>
    send(async ([first]) => {
      setNames(null)
      waiting.current = new AbortController()
      const { dbUrl, credentials, database, bookmarks } = first ?? {}
      setNames(await session.client.originNames({ dbUrl, credentials, database, bookmarks }, waiting.current.signal))
    })
  const publish = () =>
    send(async (given) => {
      const id = await session.client.publish(given, key, isForced)
      if (password.current) password.current.value = ''
      if (!mayRead(session)) setAccepted(id)
      else if (isHere()) route(jobHref(id))
    })
  /** Goes on with the dry run for whose sake the org was created. */
  function continueWith(org: string): void {
    setCreated(org)
    // The button with the focus is gone.
    document.querySelector<HTMLElement>('h1')?.focus()
    void tryIt()
  }
  const isTried = tried?.request === request
  const mayPublish = isTried && !tried.dryRun.wouldConflict

  return (
    <>
      <form class="stack" onSubmit={(event) => event.preventDefault()}>
        <div class="beside">
          <PublishFields text={text} names={names} change={setText} />
          <label>
            Request, or a list of them, as JSON; without credentials
            <textarea
              ref={editor}
              rows={14}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        </div>
        <label>
          User of the origin
          <input value={user} autocomplete="off" onInput={({ currentTarget }) => setUser(currentTarget.value)} />
        </label>
        <label>
          Password of the origin, or its credentials: Basic …
          <input ref={password} type="password" autocomplete="off" />
        </label>
        <div class="actions">
          <button type="button" aria-disabled={isSending} onClick={readNames}>
            Read the names of the origin
          </button>
          <span role="status">{names && offering(names)}</span>
        </div>
        <label class="choice">
          <input
            type="checkbox"
            checked={isForced}
            onChange={({ currentTarget }) => setForced(currentTarget.checked)}
          />
          Replace a packet of the same name
        </label>
        <div class="actions">
          <button type="button" class={mayPublish ? '' : 'main'} aria-disabled={isSending} onClick={tryIt}>
            Dry run
          </button>
          <button type="button" class={mayPublish ? 'main' : ''} disabled={isSending || !mayPublish} onClick={publish}>
            Publish
          </button>
          <Copy text={() => curlOf(text, isForced)}>Copy as curl</Copy>
        </div>
      </form>
      {!tried && <p class="quiet">A dry run says what the publish would make. After it you can publish the request.</p>}
      {isSending && (
        <p role="status">
          The service has not answered yet.{' '}
          {waiting.current && (
            <button type="button" onClick={() => waiting.current?.abort()}>
              Stop waiting
            </button>
          )}
        </p>
      )}
      {accepted && (
        <p role="status">
          The service accepted the publish as the job <code>{accepted}</code>, which this token may not see.
        </p>
      )}
      {error && <Problem error={error} />}
      {error && <CreateOrg error={error} text={text} session={session} done={continueWith} />}
      {created && (
        <p role="status">
          Created the org {printableLine(created)}. {isSending ? 'Running the request dry…' : ''}
        </p>
      )}
      {tried && <Result tried={tried} isCurrent={isTried} />}
    </>
  )
}

const offering = ({ labels, relationshipTypes, isCut }: OriginNames): string =>
  `The fields offer ${plural(labels.length, 'label')} and ${plural(relationshipTypes.length, 'type')} of relationships${isCut ? '; there are more' : ''}.`

/** What the packet of a name is about; null if there is none, or the token may not see it. */
async function shapeOf(session: Session, org: unknown, name: unknown, signal: AbortSignal) {
  if (!mayRead(session) || typeof org !== 'string' || typeof name !== 'string' || !org || !name) return null
  const asked = session.client.ask<PacketManifest>('GET', path`/1.0/publish/${org}/${name}/manifest`, { signal })
  return asked.then(
    ({ shape }) => shape,
    () => null,
  )
}

/** Creates the org that a request names, if the service says that there is none. */
function CreateOrg(props: { error: Error; text: string; session: Session; done: (org: string) => void }) {
  const { error, text, session, done } = props
  const [failure, setFailure] = useState<Error | null>(null)
  const org = orgIn(text)
  const isOwn = session.who.orgs.some((own) => own === '*' || own === org || org?.startsWith(`${own}/`))
  if (!isMissingOrg(error) || org === null || !isOwn) return null
  const create = () => session.client.ask('POST', path`/1.0/publish/${org}`, {}).then(() => done(org), setFailure)
  return (
    <>
      <button type="button" onClick={create}>
        Create the org {printableLine(org)}
      </button>
      {failure && <Problem error={failure} />}
    </>
  )
}

/** Answers to a publish have no code, but their message begins with the field. Contract 3. */
const isMissingOrg = (error: Error): boolean =>
  error instanceof ServiceError && error.message.startsWith('the service answered 404 Not Found: orgName:')

function Result({ tried: { dryRun, sample, name, before, base }, isCurrent }: { tried: Tried; isCurrent: boolean }) {
  return (
    <section aria-live="polite">
      <h2>Dry run</h2>
      {!isCurrent && <p class="stale">The request has changed since: run it dry again before you publish.</p>}
      {dryRun.wouldConflict && (
        <p class="stale">
          The name is taken. Choose another one, or choose to replace the packet; then run the request dry again.
        </p>
      )}
      {base && (
        <p>
          These are all pairs. The delta leaves out those that the packet {printableLine(String(base))} and its own base
          have.
        </p>
      )}
      {dryRun.shape && (
        <>
          <Drawn picture={pictureOfShape(name, { shape: dryRun.shape, identities: dryRun.requires.constraints })} />
          <About shape={dryRun.shape} before={before} />
        </>
      )}
      {before && (
        <p class="quiet">“Now” is the packet of this name that exists, “After” the one that the publish would make.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys */}
      <pre tabIndex={0}>{dryRunLines(dryRun).map(printableLine).join('\n')}</pre>
      <Sample sample={sample} />
    </section>
  )
}

/** Values of properties are on the page only while the user looks at them. */
function Sample({ sample }: { sample: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Sample of the pairs, with values of properties</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys
        <pre tabIndex={0}>{sample}</pre>
      )}
    </details>
  )
}

/** The org that the first request names; null if there is none. */
function orgIn(text: string): string | null {
  try {
    const [{ orgName } = {}] = requestsIn(text)
    return typeof orgName === 'string' ? orgName : null
  } catch {
    return null
  }
}

/** @throws Error if the text is not JSON, or there are no credentials */
function withCredentials(text: string, user: string, secret: string): Request[] {
  const requests = requestsIn(text)
  if (secret === '') {
    if (requests.some((request) => request?.credentials === undefined))
      throw new Error('Type the password of the origin')
    return requests as Request[]
  }
  const basic = btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${secret}`)))
  const credentials = secret.startsWith('Basic ') ? secret : `Basic ${basic}`
  return requests.map((request) => ({ credentials, ...request }) as Request)
}

/** A dry run takes no base: what a delta leaves out is known only when all pairs are made. */
const withoutBase = ({ base: _, deleteMissing: __, ...request }: Request): Request => request

/** The sample of an answer. Its numbers stay as they are: in a packet `1` and `1.0` are different values. */
function sampleIn(answer: string): string {
  const { dryRun } = JSON.parse(answer, keepingNumbers as never) as { dryRun: DryRun }
  return JSON.stringify(dryRun.sample, null, 2)
}

/** The command that sends the same request; the shell puts in the secrets. */
function curlOf(text: string, isForced: boolean): string {
  const url = `${location.origin}/1.0/publish/multi${isForced ? '?forceOverwrite=true' : ''}`
  const body = quoted(withoutSecrets(text)).replaceAll('$CREDENTIALS', `'"$CREDENTIALS"'`)
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d ${body} '${url}'`
}

/** @throws SyntaxError if the text is not JSON: it may hold credentials */
function withoutSecrets(text: string): string {
  return JSON.stringify(requestsIn(text).map((request) => ({ ...request, credentials: '$CREDENTIALS' })))
}
