import { useEffect, useRef, useState } from 'preact/hooks'
import { size } from '../../client/format.ts'
import { path } from '../../client/service/requests.ts'
import { ServiceError } from '../../client/service/service-error.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { queries } from '../data.ts'
import type { Session } from '../session.ts'
import { Time } from '../ui/pieces.tsx'

/** What a list shows of a packet. Manifests may be long, and a list has many rows: nothing else of them is kept. */
type Brief = Pick<PacketManifest, 'createdAt' | 'bytes'>

const freshMs = 30_000
/** Manifests that are read together: a browser has six connections to the service, and pages need some of them. */
const lanes = Array.from({ length: 3 }, () => Promise.resolve())
let turn = 0

/** Waits for those asked for before; `isWanted` is looked at when its turn comes. */
function inTurn(isWanted: () => boolean, work: () => Promise<unknown>): void {
  const lane = turn++ % lanes.length
  const after = lanes[lane] as Promise<void>
  lanes[lane] = after.then(async () => {
    if (isWanted()) await work()
  })
}

const whenSeen = new WeakMap<Element, () => void>()
/** One for all cells: a list has a thousand rows. */
const onScreen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue
    onScreen.unobserve(target)
    whenSeen.get(target)?.()
  }
})

/** When a packet was published, and its size: from its manifest, which is read when this is first on the screen. */
export function FromManifest({ org, name, session }: { org: string; name: string; session: Session }) {
  const cell = useRef<HTMLSpanElement>(null)
  const [brief, setBrief] = useState<Brief | null>(null)
  useEffect(() => {
    let isThere = true
    setBrief(null)
    const read = () =>
      queries.fetchQuery(briefOf(session, org, name)).then(
        (found) => isThere && setBrief(found),
        // The cell stays empty: the page says itself if the service is away.
        () => {},
      )
    const element = cell.current as HTMLSpanElement
    whenSeen.set(element, () => inTurn(() => isThere, read))
    onScreen.observe(element)
    return () => {
      isThere = false
      onScreen.unobserve(element)
      void queries.cancelQueries({ queryKey: briefOf(session, org, name).queryKey })
    }
  }, [org, name, session])
  return (
    <span ref={cell}>
      {brief ? (
        <>
          <Time at={brief.createdAt} />, {size(brief.bytes)}
        </>
      ) : (
        '\u00a0'
      )}
    </span>
  )
}

const briefOf = ({ client, who }: Session, org: string, name: string) => ({
  queryKey: ['brief', who.name, org, name],
  staleTime: freshMs,
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Brief | null> =>
    client.ask<PacketManifest>('GET', path`/1.0/publish/${org}/${name}/manifest`, { signal }).then(
      ({ createdAt, bytes }) => ({ createdAt, bytes }),
      (error) => {
        // A file of others has no manifest, and a packet may be gone by now.
        if (error instanceof ServiceError && error.status === 404) return null
        throw error
      },
    ),
})
