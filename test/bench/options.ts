import { parseArgs } from 'node:util'

export const usualStore = 's3proxy'

export interface Options {
  rounds: number
  /** Names of lanes; null for all. */
  lanes: string[] | null
  scale: number
  fresh: boolean
  /** The object store, by its name in `npm run try:store`. */
  store: string
}

/** Parses the options of `npm run bench -- …`. Throws a one-line error for one that is unknown or out of bounds. */
export function readOptions(
  args: readonly string[],
  laneNames: readonly string[],
  storeNames: readonly string[],
): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '4' },
      lanes: { type: 'string' },
      scale: { type: 'string', default: '1' },
      store: { type: 'string', default: usualStore },
      fresh: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds: a whole number from 1 to 100')
  // Below this, a packet has too few slices to share; above, the largest request exceeds the API's limit.
  const scale = Number(values.scale)
  if (!(scale >= 0.05 && scale <= 20) || !Number.isInteger(scale * 20)) {
    throw new Error('--scale: a number from 0.05 to 20, in steps of 0.05')
  }
  const lanes = values.lanes === undefined ? null : values.lanes.split(',')
  const unknown = lanes?.filter((name) => !laneNames.includes(name)) ?? []
  if (unknown.length > 0) throw new Error(`--lanes: there is no ${unknown.join(', ')}, only ${laneNames.join(', ')}`)
  const { store } = values
  if (!storeNames.includes(store)) throw new Error(`--store: there is no ${store}, only ${storeNames.join(', ')}`)
  return { rounds, lanes, scale, fresh: values.fresh, store }
}
