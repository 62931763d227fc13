/**
 * Nodes that are read together mostly bear the same labels. Those that were last seen are told to the origin, which then
 * sends null for them: a list and its texts for each node would cost the driver as much as some properties do.
 */
class UsualLabels {
  #usual: readonly string[] = []

  /** For one query: what to return of a variable, the parameters of that, and what a row's value of it means. */
  ask(variable: string) {
    const usual = this.#usual
    let last = usual
    return {
      expression: `CASE WHEN labels(${variable}) = $usual THEN null ELSE labels(${variable}) END`,
      parameters: { usual },
      /** Equal labels in a row are one list, which is told apart from others at a glance. */
      read: (value: unknown): readonly string[] => {
        if (value === null) return usual
        if (!isSame(last, value as string[])) last = value as string[]
        this.#usual = last
        return last
      },
    }
  }
}

/** Of the nodes that are read for themselves, and of those at the far ends of relationships. */
export const createUsualLabels = () => ({ nodes: new UsualLabels(), farEnds: new UsualLabels() })

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index])
