/**
 * Nodes read together mostly have the same labels. The query receives the labels last seen as a parameter and returns
 * null for them: a list of texts per node would cost the driver as much as some properties do.
 */
class UsualLabels {
  #usual: readonly string[] = []

  /** For one query: the expression that returns a variable's labels, its parameters, and how to read the result. */
  ask() {
    const usual = this.#usual
    let last = usual
    return {
      expressionFor: (variable: string) =>
        `CASE WHEN labels(${variable}) = $usual THEN null ELSE labels(${variable}) END`,
      // No labels are always returned: they may tell that a node was deleted.
      parameters: { usual: usual.length > 0 ? usual : null },
      /** Consecutive equal labels share one array, so that callers can compare them by reference. */
      read: (value: unknown): readonly string[] => {
        if (value === null) return usual
        if (!isSame(last, value as string[])) last = value as string[]
        this.#usual = last
        return last
      },
    }
  }
}

/** Separate for nodes read for themselves and for the far ends of relationships. */
export const createUsualLabels = () => ({ nodes: new UsualLabels(), farEnds: new UsualLabels() })

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index])
