import { parseArgs } from 'node:util'
import { runFile } from './run-file.ts'

/**
 * Runs random clients and faults for longer than `npm run test:rest`: `npm run soak -- --minutes 30 --seed 7`. The
 * history is written to `.local/soak/seed-<seed>.jsonl`. With `--sentinels` Redis is the primary of a Sentinel group,
 * which is also replaced.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    sentinels: { type: 'boolean', default: false },
  },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0')
if (!Number.isInteger(seed)) throw new Error('--seed must be an integer')
runFile('soak.random-faults', { name: 'SOAK', values: { minutes, seed, sentinels: values.sentinels } })
