import { globSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { textOf } from '../support/documents/manifests.ts'

const files = globSync('{api,packet,wire,shared,worker}/**/*.ts', { cwd: join(import.meta.dirname, '../..') }).sort()
const headings = ['HTTP', 'Publish requests', 'Origins', 'Packets and store', 'Models', 'Jobs and callbacks'] as const

/** The heading of a limit is the first that matches its file and name. */
const areas: [(typeof headings)[number], RegExp][] = [
  ['Models', /^shared\/models\/|^api\/(manager|search)\//],
  ['Publish requests', /^shared\/request\/|^api\/(publish|submission)\/|\/(names|identifiers|life-days)\.ts /],
  ['Publish requests', /\/(db|https)-url\.ts | (returnOnly|dryRun)\w+$/],
  ['Jobs and callbacks', /^worker\/|^shared\/(jobs|queue|redis)\/|^api\/jobs\//],
  ['Origins', /^shared\/(origin|read)\/|^packet\/packstream\/| origin\w+$/],
  ['Packets and store', /^packet\/|^shared\/(storage|store|publish)\/| store\w+$/],
  ['HTTP', /^api\/|^shared\/(auth|config|errors|lifecycle|observability|validation)\//],
]

/** Numbers with the name of a limit, beyond which nothing happens that a client or an operator notices. */
const leftOut: Record<string, string[]> = {
  'They are sizes of kept buffers and of caches.': [
    'origin/labels.ts longestKept',
    'worker/finish-job.ts mostParts',
    'origin/rows.ts largestSpareBytes',
    'origin/shapes.ts mostSteps',
    'parts/part-buffer.ts largestSpareBytes',
  ],
  'They are sizes of one step, and another step follows.': [
    'body/chunked-text.ts maxBlockMs',
    'lifecycle/collect.ts mostItems',
    'listing/listed-packets.ts mostKeys',
    'listing/objects-below.ts longestStart',
    'read/hub.ts mostParts',
    'read/selection.ts mostNamed',
    'store/minio-store.ts mostPageKeys',
    'store/minio-store.ts mostRemoved',
    'store/requirements.ts mostListed',
  ],
  'They shorten messages and logs.': [
    'check/shown-value.ts longestShown',
    'observability/logged-error.ts maxDepth',
    'request/bound-model.ts mostCompared',
    'mask/mask-rules.ts mostNamed',
    'request/bound-model.ts mostNamed',
    'request/rules.ts mostCounted',
    'store/bounded-transport.ts mostErrorBytes',
    'store/store-answers.ts mostWords',
    'validation/issues.ts longestGuessed',
    'validation/issues.ts longestShown',
  ],
  'The code never reaches them.': ['queue/queue.ts maxStalledCount', 'origin/link.ts maxConnectionPoolSize'],
  'It only says when keys are fetched again.': ['auth/signing-keys.ts maxAgeMs'],
}

const declaration = /^ *(?:export )?(?:const )?(\w+|\[[\w, ]+\])(?: =|:) (\S.*?),?$/
const isLimitName = (name: string) => /^(most|max|longest|largest)(?![a-z])|[lL]imit/.test(name)
const described = /^(\S.*?)\. Beyond this limit (.+?)(?:[.:] .*|\.)$/

function commentAbove(lines: readonly string[], at: number): string {
  let first = at
  while (/^\s*(\/\/|\/\*\*|\*)/.test(lines[first - 1] ?? '')) first--
  const texts = lines.slice(first, at).map((line) => line.replace(/^\s*(\/\*\*|\*\/|\*|\/\/)\s*|\s*\*\/$/g, ''))
  return texts.join(' ').trim()
}

const durations = { d: 86_400_000n, h: 3_600_000n, min: 60_000n, s: 1_000n, ms: 1n }
const sizes = { MiB: 1_048_576n, KiB: 1_024n, bytes: 1n }

function shownValue(name: string, what: string, expression: string): string {
  const asIs = (value: number) => value
  const words = { hour: 3_600_000, second: 1_000, count: asIs, seconds: asIs }
  const value = BigInt(runInNewContext(expression, words))
  const [, unit = ''] = /(Ms|Milliseconds|Seconds|Days)$/.exec(name) ?? []
  const inLargest = (units: Record<string, bigint>, amount: bigint) => {
    const [largest, size] = Object.entries(units).find(([, size]) => amount % size === 0n) as [string, bigint]
    return `${(amount / size).toLocaleString('en')} ${largest}`
  }
  if (what.startsWith('Bytes')) return inLargest(sizes, value)
  if (unit === '') return value.toLocaleString('en')
  return inLargest(durations, value * (unit === 'Days' ? durations.d : unit === 'Seconds' ? durations.s : 1n))
}

const found = files.flatMap((file) => {
  const lines = textOf(file).split('\n')
  const where = file.split('/').slice(-2).join('/')
  return lines.flatMap((line, at) => {
    const [, names = '', expression = ''] = declaration.exec(line) ?? []
    const [, what = '', beyond = ''] = described.exec(commentAbove(lines, at)) ?? []
    const isNumber = /^\[?\d/.test(expression)
    const limits = names.match(/\w+/g)?.filter((name) => what !== '' || (isNumber && isLimitName(name))) ?? []
    return limits.map((name) => ({ file, where, name, what, beyond, expression }))
  })
})

test('every limit in the code has a comment that says what happens beyond it', () => {
  const undescribed = found.filter(({ what }) => what === '').map(({ where, name }) => `${where} ${name}`)
  expect(undescribed.sort()).toEqual(Object.values(leftOut).flat().sort())
})

test('docs/limits.md lists every limit', async () => {
  const sections = new Map(headings.map((heading) => [heading, [['limit', 'value', 'beyond it']]]))
  for (const { file, name, what, beyond, expression } of found.filter((limit) => limit.what !== '')) {
    const [heading] = areas.find(([, pattern]) => pattern.test(`${file} ${name}`)) as (typeof areas)[number]
    const effect = beyond.replaceAll('the answer is `', '`')
    sections.get(heading)?.push([what, shownValue(name, what, expression), effect])
  }
  const tables = [...sections].map(([heading, rows]) => {
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
    const text = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`)
    text.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
    return `## ${heading}\n\n${text.join('\n')}\n`
  })
  const start = `This document lists the fixed limits of the product; the [contract](contract.md#11) lists the settings. Where the
third column begins with an error, the answer is that error. A test makes the tables from comments in the code, which
have the same words. This command renews them:`
  const command = 'npx vitest run --config test/vitest.config.ts --project unit test/unit/docs.limits -u'
  const text = [`# Limits\n\n${start}\n\n\`\`\`sh\n${command}\n\`\`\`\n`, ...tables].join('\n')
  await expect(text).toMatchFileSnapshot('../../docs/limits.md')
})
