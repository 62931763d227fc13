/**
 * Why a replay ended early. `refused`: nothing was written, unless the message names a part after the first, or
 * constraints that were created. `broken`: the source is damaged, and nothing of the named part was written. `failed`:
 * the target failed or refused a pair. What was written stays, and the same replay continues from there.
 */
export class ReplayError extends Error {
  readonly kind: 'refused' | 'broken' | 'failed' | 'interrupted'

  /** `message` is a complete sentence for people, without secrets. */
  constructor(kind: ReplayError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ReplayError'
    this.kind = kind
  }
}
