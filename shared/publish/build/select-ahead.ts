import type { PublishRequest } from '../request/fields.ts'
import type { OpenOrigin } from './origins.ts'
import { canBeSelectedAhead, type Given, type Selection, select } from './request.ts'

/** A request whose selection has begun. */
interface Ahead {
  work: Given
  selection: Promise<Selection>
  /** The error, if the selection has failed. */
  failure(): unknown
}

interface Origins {
  opened(request: PublishRequest): OpenOrigin | null
  open(request: PublishRequest): Promise<OpenOrigin>
}

/**
 * Selects the elements of each request. The selection of the next request may run while one is written, if both are
 * read in one transaction: then the origin and this process work in parallel.
 */
export function selectAhead(
  requests: readonly PublishRequest[],
  origins: Origins,
  workOf: (request: PublishRequest, at: number, origin: OpenOrigin) => Given,
) {
  let ahead: Ahead | null = null
  return {
    async take(at: number): Promise<{ work: Given; selection: Selection }> {
      const request = requests[at] as PublishRequest
      const { work, selection } = ahead ?? begin(workOf(request, at, await origins.open(request)))
      return { work, selection: await selection }
    },
    /** Begins the selection of the request at this position, if possible. */
    begin(at: number): void {
      const request = requests[at]
      const origin = request && origins.opened(request)
      const work = origin ? workOf(request, at, origin) : null
      ahead = work && canBeSelectedAhead(work.plan) ? begin(work) : null
    },
    /** The error of the selection begun ahead, if it has failed. */
    failure: (): unknown => ahead?.failure() ?? null,
  }
}

function begin(work: Given): Ahead {
  let failure: unknown = null
  const selection = select(work)
  // Awaited later or never: this handler prevents an unhandled rejection.
  selection.catch((error) => {
    failure = error
  })
  return { work, selection, failure: () => failure }
}
