import { useEffect, useRef, useState } from 'preact/hooks'
import { ServiceError } from '../client/service/service-error.ts'
import { signIn } from './session.ts'
import { Page } from './ui/page.tsx'
import { Problem } from './ui/shown.tsx'

/** Takes a token. The address stays, so that a link leads to its page afterwards. */
export function SignIn({ reason }: { reason: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const [token, setToken] = useState('')
  const [isKept, setKept] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [isChecking, setChecking] = useState(false)
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecking(true)
    setError(null)
    await signIn(token, isKept).catch((failure) => {
      const isUnknown = failure instanceof ServiceError && failure.status === 401
      setError(isUnknown ? new Error('The service does not accept this token') : failure)
    })
    setChecking(false)
  }
  return (
    <Page title="Sign in">
      {reason !== '' && <p role="status">{reason}</p>}
      <form class="stack" onSubmit={submit}>
        <label>
          Token
          <input
            type="password"
            required
            ref={field}
            value={token}
            autocomplete="off"
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <label class="choice">
          <input type="checkbox" checked={isKept} onChange={({ currentTarget }) => setKept(currentTarget.checked)} />
          Keep the token in this tab until it is closed
        </label>
        <button type="submit" class="main" disabled={isChecking || token.trim() === ''}>
          Sign in
        </button>
      </form>
      {isChecking && <p role="status">The service has not yet checked the token.</p>}
      {error && <Problem error={error} />}
      <p class="quiet">
        <code>npm start</code> prints a token, and <code>npm run token</code> makes one; or ask whoever runs the
        service. The page keeps the token in memory, and sends it to this service only.
      </p>
    </Page>
  )
}
