/** The exit codes of the client, by what they mean. */
export const exitCodes = {
  done: 0,
  unforeseen: 1,
  /** The command line, or a file or variable that it names, is not valid. */
  usage: 2,
  /** Not an error: verify, diff or a dry run found differences. */
  different: 3,
  /**
   * The target lacks what the packet needs, or the packet has a statement that this client does not run. Nothing was
   * written, unless the message names a part after the first, or constraints that were created.
   */
  refused: 4,
  /** The bytes of the packet are not what they should be. */
  broken: 5,
  /** The target failed; what was written stays, and the same command continues. */
  target: 6,
  /** The service or the object store refused, or was not reached. */
  service: 7,
  interrupted: 130,
} as const

export type Exit = keyof typeof exitCodes

/** An expected failure. Its message is a complete sentence for a terminal. Message and details hold no secret. */
export class Failure extends Error {
  readonly exit: Exit
  /** Further lines of the message. */
  readonly details: readonly string[]

  constructor(exit: Exit, message: string, details: readonly string[] = []) {
    super(message)
    this.exit = exit
    this.details = details
  }
}

/** The failure of a command that has found differences and has printed them. */
export const different = (): Failure => new Failure('different', '')

export const usageError = (message: string): Failure => new Failure('usage', message)

/** Makes an error of the file system a usage error: `--out: dir cannot be written (EACCES)`, and a hint. */
export const cannotBe =
  (done: 'read' | 'written', what: string, hint = '') =>
  (error: unknown): never => {
    throw usageError(`${what} cannot be ${done} (${(error as { code?: string }).code})${hint}`)
  }
