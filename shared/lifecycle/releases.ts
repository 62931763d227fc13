import { TimeoutError, withTimeout } from './timeout.ts'

interface ReleaseLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/**
 * The resources of a process. Each registers its release when it is created; `dispose` releases them in reverse order,
 * each with a time limit and a log entry, and never throws. This also works when construction fails half-way.
 */
export class Releases {
  readonly #log: ReleaseLog
  readonly #held: (() => Promise<void>)[] = []

  constructor(log: ReleaseLog) {
    this.#log = log
  }

  add<T>(name: string, resource: T, release: (resource: T) => unknown, limitMs = 10_000): T {
    this.#held.push(() => this.#release(name, async () => release(resource), limitMs))
    return resource
  }

  async dispose(): Promise<void> {
    for (let release = this.#held.pop(); release; release = this.#held.pop()) await release()
  }

  async #release(name: string, release: () => Promise<unknown>, limitMs: number) {
    try {
      await withTimeout(release(), limitMs)
      this.#log.info({ resource: name }, 'released')
    } catch (error) {
      if (error instanceof TimeoutError) this.#log.warn({ resource: name }, 'not released in time')
      else this.#log.warn({ resource: name, err: error }, 'release failed')
    }
  }
}
