import type { Lane } from './lanes.ts'
import { median } from './numbers.ts'
import type { Ratio } from './ratios.ts'
import type { Measured, Results } from './results.ts'

/** One line per measured lane. */
export function tableOf(lanes: readonly Lane[], results: Results): string {
  const header = [
    'lane',
    'rounds',
    'counts',
    'a second: min',
    'median',
    'max',
    'µs client',
    'µs database',
    'µs others',
    'peak MB',
  ]
  const rows = lanes.flatMap((lane) => {
    const rounds = results.rounds(lane.name)
    return rounds.length === 0 ? [] : [rowOf(lane, rounds)]
  })
  return aligned([header, ...rows])
}

function rowOf({ name, unit }: Lane, rounds: readonly Measured[]): string[] {
  const rates = rounds.map(({ statements, seconds }) => statements / seconds)
  const each = (key: string) => median(rounds.map((one) => ((one[key] as number) / one.statements) * 1e6))
  const peaks = rounds.flatMap(({ peakMB }) => peakMB ?? [])
  return [
    name,
    String(rounds.length),
    `${rounds[0]?.statements} ${unit}`,
    ...[Math.min(...rates), median(rates), Math.max(...rates)].map((rate) => rate.toFixed(0)),
    ...['clientCpu', 'databaseCpu', 'othersCpu'].map((key) =>
      rounds[0]?.[key] === undefined ? '' : each(key).toFixed(2),
    ),
    peaks.length === 0 ? '' : median(peaks).toFixed(0),
  ]
}

/** One line per ratio. */
export function ratioTableOf(ratios: readonly Ratio[]): string {
  const header = ['', 'what', 'value', 'bar', 'stretch', 'verdict']
  const rows = ratios.map(({ name, what, value, atMost, bar, stretch, verdict }) => {
    const limit = (one: number | undefined) => (one === undefined ? '' : `${atMost ? '<=' : '>='} ${one}`)
    return [name, what, value === null ? '-' : value.toPrecision(3), limit(bar), limit(stretch), verdict]
  })
  return aligned([header, ...rows], 2)
}

/** Aligns columns: text left, numbers right. */
function aligned(rows: readonly (readonly string[])[], texts = 1): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, column: number) => text[column < texts ? 'padEnd' : 'padStart'](widths[column] as number)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
