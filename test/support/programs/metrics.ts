/** The metrics of one program at `/metrics`. */
export interface Measured {
  /** The sum over all series of a metric with these labels; 0 if there is none. */
  sum(name: string, labels?: Record<string, string>): number
  names: Set<string>
}

export function parseMetrics(text: string): Measured {
  const series = text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return value === undefined ? [] : [{ name, labels: `,${labels},`, value: Number(value) }]
  })
  return {
    names: new Set(series.map(({ name }) => name)),
    sum: (name, labels = {}) =>
      series
        .filter((one) => one.name === name)
        .filter((one) => Object.entries(labels).every(([label, value]) => one.labels.includes(`,${label}="${value}",`)))
        .reduce((sum, { value }) => sum + value, 0),
  }
}

export const measuredAt = async (url: string): Promise<Measured> =>
  parseMetrics(await (await fetch(`${url}/metrics`)).text())
