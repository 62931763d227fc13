import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import { useAsked } from './data.ts'
import { Job } from './pages/job.tsx'
import { Jobs } from './pages/jobs.tsx'
import { Org, Orgs } from './pages/packets.tsx'
import { mayRead, maySeeOperations, mayWrite, type Session, signOut, useSession, useSignedIn } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { Boundary } from './ui/boundary.tsx'
import { KeysHelp, useKeys } from './ui/keys.tsx'
import { Page } from './ui/page.tsx'
import { Time } from './ui/pieces.tsx'
import { Late } from './ui/shown.tsx'

const pagesOfLater: { preload(): Promise<unknown> }[] = []

/** A page whose code is loaded when it is first opened, or when there is time. It may be gone, after a deployment. */
const later = (load: () => Promise<ComponentType>) => {
  const page = lazy(() => load().catch(() => NotLoaded))
  pagesOfLater.push(page)
  return page
}

const NotLoaded = () => (
  <Page title="This page could not be loaded">
    <p>The service did not answer, or has a newer console. Reload the page.</p>
    <button type="button" onClick={() => location.reload()}>
      Reload
    </button>
  </Page>
)

const Packet = later(() => import('./pages/packet.tsx').then(({ Packet }) => Packet))
const Models = later(() => import('./pages/models.tsx').then(({ Models }) => Models))
const Model = later(() => import('./pages/model.tsx').then(({ Model }) => Model))
const Publish = later(() => import('./pages/publish.tsx').then(({ Publish }) => Publish))
const Operations = later(() => import('./pages/operations.tsx').then(({ Operations }) => Operations))

export const App = () => (
  <LocationProvider scope="/console">
    <Frame />
  </LocationProvider>
)

function Frame() {
  const { session, reason, isRestoring } = useSession()
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/console">
          Graph packets
        </a>
        {session && <Navigation session={session} />}
      </header>
      <main id="content">
        {isRestoring ? (
          <p role="status">The service has not yet checked the token of this tab.</p>
        ) : session ? (
          <Pages key={session.who.name} session={session} />
        ) : (
          <SignIn reason={reason} />
        )}
      </main>
    </>
  )
}

/** The pages that the token's scopes allow. */
function placesOf(session: Session) {
  const { scopes } = session.who
  const places = [
    ['Jobs', '/console/jobs', mayRead(session)],
    ['Packets', '/console/packets', mayRead(session)],
    ['Models', '/console/models', scopes.includes('manager:read')],
    ['Publish', '/console/publish', mayWrite(session)],
    ['Operations', '/console/ops', maySeeOperations(session)],
  ] as const
  return places.filter(([, , isOffered]) => isOffered)
}

function Navigation({ session }: { session: Session }) {
  const { path } = useLocation()
  const { who } = session
  return (
    <>
      <nav aria-label="Pages">
        {placesOf(session).map(([title, href]) => (
          <a key={href} href={href} aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <p class="who">
        Token: {who.name}
        {who.expiresAt && (
          <>
            , until <Time at={who.expiresAt} />
          </>
        )}
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      </p>
    </>
  )
}

/** The keys after `g`, by the name of the page. */
const keysOfPlaces = { Jobs: 'j', Packets: 'p', Models: 'm', Publish: 'n', Operations: 'o' } as const

function Pages({ session }: { session: Session }) {
  const { route, url } = useLocation()
  const [isLoading, setLoading] = useState(false)
  const keyPlaces = useMemo(
    () => Object.fromEntries(placesOf(session).map(([title, href]) => [keysOfPlaces[title], href])),
    [session],
  )
  const keys = useKeys(keyPlaces, route)
  return (
    <Boundary url={url}>
      {maySeeOperations(session) && <PauseBanner />}
      {isLoading && <Late>The page is loading.</Late>}
      <Router onLoadStart={() => setLoading(true)} onLoadEnd={() => setLoading(false)}>
        <Route path="/console" component={Start} />
        <Route path="/console/jobs" component={Jobs} />
        <Route path="/console/jobs/:id" component={Job} />
        <Route path="/console/packets" component={Orgs} />
        <Route path="/console/packets/:org" component={Org} />
        <Route path="/console/packets/:org/:name" component={Packet} />
        <Route path="/console/models" component={Models} />
        <Route path="/console/models/:grn" component={Model} />
        <Route path="/console/publish" component={Publish} />
        <Route path="/console/ops" component={Operations} />
        <Route default component={Nowhere} />
      </Router>
      <KeysHelp {...keys} />
    </Boundary>
  )
}

const pauseAskedEveryMs = 15_000

/** Says on every page but its own, Operations, that the queue is paused. */
function PauseBanner() {
  const { path } = useLocation()
  const { client, who } = useSignedIn()
  const { data } = useAsked(['overview', who.name], (signal) => client.overview(signal), pauseAskedEveryMs)
  const paused = data?.queue?.paused
  if (!paused || path === '/console/ops') return null
  return (
    <p class="stale" role="status">
      The queue is <a href="/console/ops">paused</a>: publishes are accepted and wait.
    </p>
  )
}

const listed = (words: readonly string[]): string => words.join(', ') || 'none'

function Start() {
  const { route } = useLocation()
  const session = useSignedIn()
  const first = placesOf(session)[0]?.[1]
  useEffect(() => {
    if (first) route(first, true)
  }, [route, first])
  return first ? null : (
    <Page title="No pages">
      <p>
        This token has the scopes {listed(session.who.scopes)}, for the orgs {listed(session.who.orgs)}. Jobs and
        Packets need publish:read, Models manager:read, Publish publish:write, and Operations ops:read for all orgs (*).
        Ask whoever runs the service for another token.
      </p>
    </Page>
  )
}

const Nowhere = () => (
  <Page title="No such page">
    <p>
      The console has no page at this address. <a href="/console">Go to the first page.</a>
    </p>
  </Page>
)
