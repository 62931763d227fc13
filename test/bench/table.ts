import type { Lane } from './lanes.ts'
import { median } from './median.ts'
import type { Measured, Results } from './results.ts'

/** The lanes that were measured, a line each. */
export function tableOf(lanes: readonly Lane[], results: Results): string {
  const header = ['lane', 'rounds', 'counts', 'a second: min', 'median', 'max', 'µs client', 'µs database', 'peak MB']
  const rows = lanes.flatMap((lane) => {
    const rounds = results.rounds(lane.name)
    return rounds.length === 0 ? [] : [rowOf(lane, rounds)]
  })
  return aligned([header, ...rows])
}

function rowOf({ name, unit }: Lane, rounds: readonly Measured[]): string[] {
  const rates = rounds.map(({ statements, seconds }) => statements / seconds)
  const each = (key: string) => median(rounds.map((one) => ((one[key] as number) / one.statements) * 1e6))
  const peak = median(rounds.map(({ peakMB }) => peakMB as number))
  return [
    name,
    String(rounds.length),
    `${rounds[0]?.statements} ${unit}`,
    ...[Math.min(...rates), median(rates), Math.max(...rates)].map((rate) => rate.toFixed(0)),
    ...['clientCpu', 'databaseCpu'].map((key) => each(key).toFixed(2)),
    peak.toFixed(0),
  ]
}

/** Columns under each other: texts to the left, numbers to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] as number) : text.padStart(widths[column] as number)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
