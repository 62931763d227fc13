import type { PublishRequest } from '../../request/fields.ts'
import type { OpenOrigin, originsUntil } from './origins.ts'
import { canBeSelectedAhead, type Selection, select } from './request.ts'
import type { RequestContext } from './request-context.ts'

/** A request whose selection has begun. */
interface Ahead {
  context: RequestContext
  selection: Promise<Selection>
  /** The error, if the selection has failed. */
  failure: unknown
}

/**
 * Selects the elements of each request. The selection of the next request may run while one is written, if both are
 * read in one transaction: then the origin and this process work in parallel.
 */
export function selectAhead(
  requests: readonly PublishRequest[],
  origins: Pick<ReturnType<typeof originsUntil>, 'open' | 'opened'>,
  contextOf: (request: PublishRequest, at: number, origin: OpenOrigin) => RequestContext,
) {
  let ahead: Ahead | null = null
  return {
    async take(at: number): Promise<{ context: RequestContext; selection: Selection }> {
      const request = requests[at] as PublishRequest
      const { context, selection } = ahead ?? begin(contextOf(request, at, await origins.open(request)))
      return { context, selection: await selection }
    },
    /** Begins the selection of the request at this position, if possible. */
    begin(at: number): void {
      const request = requests[at]
      const origin = request && origins.opened(request)
      const context = origin ? contextOf(request, at, origin) : null
      ahead = context && canBeSelectedAhead(context.plan) ? begin(context) : null
    },
    /** The error of the selection begun ahead, if it has failed. */
    failure: (): unknown => ahead?.failure ?? null,
  }
}

function begin(context: RequestContext): Ahead {
  const ahead: Ahead = { context, selection: select(context), failure: null }
  // Awaited later or never: this handler prevents an unhandled rejection.
  ahead.selection.catch((error) => {
    ahead.failure = error
  })
  return ahead
}
