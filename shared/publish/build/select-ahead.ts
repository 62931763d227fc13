import type { PublishRequest } from '../request/fields.ts'
import type { OpenOrigin } from './origins.ts'
import { canBeSelectedAhead, type Given, type Selection, select } from './request.ts'

/** A request with what its selection reads. */
interface Ahead {
  work: Given
  selection: Promise<Selection>
  /** Why it has failed, if it has. */
  failure(): unknown
}

interface Origins {
  opened(request: PublishRequest): OpenOrigin | null
  open(request: PublishRequest): Promise<OpenOrigin>
}

/**
 * Selects what each of the requests is about. The selection of the next one may begin while one is written, if both are
 * read in one transaction: then the origin works while this process does.
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
    /** Begins with the one at this position, where that is possible. */
    begin(at: number): void {
      const request = requests[at]
      const origin = request && origins.opened(request)
      const work = origin ? workOf(request, at, origin) : null
      ahead = work && canBeSelectedAhead(work.plan) ? begin(work) : null
    },
    /** Why the one that was begun has failed, if it has. */
    failure: (): unknown => ahead?.failure() ?? null,
  }
}

function begin(work: Given): Ahead {
  let failure: unknown = null
  const selection = select(work)
  // It is awaited later, or never.
  selection.catch((error) => {
    failure = error
  })
  return { work, selection, failure: () => failure }
}
