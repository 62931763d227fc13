import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { dryRunLines } from '../../client/dry-run-lines.ts'
import type { DryRun, PublishRequest } from '../../client/service-types.ts'
import { jobHref } from '../links.ts'
import { noticeRefusal, useSignedIn } from '../session.ts'
import { Page } from '../ui/page.tsx'
import { Copy } from '../ui/pieces.tsx'
import { Problem } from '../ui/shown.tsx'

const example = `{
  "dbUrl": "bolt://origin.example:7687",
  "mappedIndices": {"DEFAULT_INDEX": "Airport", "DEFAULT_ID_FIELD": "iata"},
  "originIds": ["SEA", "JFK"],
  "metadata": true,
  "relationships": ["FLIGHT>"],
  "orgName": "acme",
  "fileName": "airports.json"
}`

interface Tried {
  /** What was tried: only the same may be published. */
  request: string
  dryRun: DryRun
  sample: string
}

/** Composes a publish. It is tried first; the password is forgotten when it was sent. */
export function Publish() {
  const session = useSignedIn()
  const { route } = useLocation()
  const [text, setText] = useState(example)
  const [user, setUser] = useState('neo4j')
  const password = useRef<HTMLInputElement>(null)
  const [tried, setTried] = useState<Tried | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const [isForced, setForced] = useState(false)
  // Sent again, the publish that was tried is the same job.
  const request = JSON.stringify([text, user, isForced])
  const [key, setKey] = useState(() => crypto.randomUUID())

  /** @throws Error if the text is not JSON */
  function requests(): PublishRequest[] {
    const parsed = JSON.parse(text)
    const secret = password.current?.value ?? ''
    const credentials = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${secret}`)))}`
    return [parsed].flat().map((request) => (secret === '' ? request : { credentials, ...request }))
  }

  async function send(work: (requests: PublishRequest[]) => Promise<void>): Promise<void> {
    setSending(true)
    setError(null)
    try {
      await work(requests())
    } catch (failure) {
      noticeRefusal(failure)
      setError(failure as Error)
    } finally {
      setSending(false)
    }
  }

  const tryIt = () =>
    send(async (given) => {
      setTried(null)
      const answer = await session.client.dryRun(given, isForced)
      const { dryRun } = JSON.parse(answer) as { dryRun: DryRun }
      setTried({ request, dryRun, sample: JSON.stringify(dryRun.sample, null, 2) })
      setKey(crypto.randomUUID())
    })
  const publish = () =>
    send(async (given) => {
      const id = await session.client.publish(given, key, isForced)
      if (password.current) password.current.value = ''
      route(jobHref(id))
    })

  return (
    <Page title="Publish">
      <form class="stack" onSubmit={(event) => event.preventDefault()}>
        <label>
          Request, or a list of them, as JSON; without credentials
          <textarea
            rows={14}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label>
          User of the origin
          <input value={user} autocomplete="off" onInput={({ currentTarget }) => setUser(currentTarget.value)} />
        </label>
        <label>
          Password of the origin
          <input ref={password} type="password" autocomplete="off" />
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={isForced}
            onChange={({ currentTarget }) => setForced(currentTarget.checked)}
          />
          Replace a packet of the same name
        </label>
        <div class="actions">
          <button type="button" class="main" disabled={isSending} onClick={tryIt}>
            Try it
          </button>
          <button type="button" disabled={isSending || tried?.request !== request} onClick={publish}>
            Publish
          </button>
          <Copy text={curlOf(text, isForced)}>Copy as curl</Copy>
        </div>
      </form>
      {isSending && <p role="status">The service is reading the origin.</p>}
      {error && <Problem error={error} />}
      {tried && <Result tried={tried} isCurrent={tried.request === request} />}
    </Page>
  )
}

function Result({ tried: { dryRun, sample }, isCurrent }: { tried: Tried; isCurrent: boolean }) {
  return (
    <section aria-live="polite">
      <h2>What the publish would make</h2>
      {!isCurrent && <p class="stale">The request has changed since: try it again before you publish.</p>}
      <pre>{dryRunLines(dryRun).join('\n')}</pre>
      <details>
        <summary>Sample of the pairs, with values of properties</summary>
        <pre>{sample}</pre>
      </details>
    </section>
  )
}

/** The command that sends the same request; the shell puts in the secrets. */
function curlOf(text: string, isForced: boolean): string {
  const query = isForced ? '?forceOverwrite=true' : ''
  const body = `'${text.replaceAll("'", `'\\''`)}'`
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d ${body} '${location.origin}/1.0/publish/${query}'`
}
