/** Minimal replacement for a missing curl: supports the options that the README uses. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    output: { type: 'string', short: 'o' },
  },
  allowPositionals: true,
})
const body = values.data === '@-' ? readFileSync(0, 'utf8') : (values.data ?? null)
const headers = values.header.map((line) => /^([^:]+):\s*(.*)$/.exec(line)?.slice(1) as [string, string])
const response = await fetch(positionals[0] as string, {
  method: values.request ?? (body === null ? 'GET' : 'POST'),
  headers,
  body,
})
const bytes = Buffer.from(await response.arrayBuffer())
if (values.output === undefined) process.stdout.write(bytes)
else writeFileSync(values.output, bytes)
