import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/**
 * Builds the console into `console/dist`: files with a hash in their names, and the page that loads them.
 * @returns the files that it was built from, from the root of the project
 */
export async function buildConsole(outdir = join(root, 'console/dist')): Promise<string[]> {
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'console/main.tsx'), join(root, 'console/style.css')],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox135', 'safari18.4'],
    supported: { 'top-level-await': true },
    // The file of the type checker extends one that the stage of the image does not have.
    tsconfigRaw: {},
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    logLevel: 'warning',
    legalComments: 'none',
    define: { DOCUMENTED_ERRORS: JSON.stringify(documentedErrors()), RUNBOOK: JSON.stringify(runbook()) },
  })
  const outputOf = (entry: string) => {
    const [file] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? []
    if (file === undefined) throw new Error(`${entry} was not built`)
    return basename(file)
  }
  writeFileSync(join(outdir, 'index.html'), pageOf(outputOf('console/main.tsx'), outputOf('console/style.css')))
  return Object.keys(metafile.inputs)
}

/** What the contract says of each error code. */
export function documentedErrors(): Record<string, string> {
  const contract = readFileSync(join(root, 'docs/contract.md'), 'utf8')
  const [, table = ''] = /<a id="3-errors">([\s\S]*?)<a id="4">/.exec(contract) ?? []
  const rows = table.matchAll(/^\| \d{3} +\| (.*?) +\| (.*?) +\|$/gm)
  return Object.fromEntries(
    [...rows].flatMap(([, codes = '', when = '']) => {
      const unlinked = when
        .replaceAll(/\[(\d[^\]]*)\]\([^)]*\)/g, 'contract $1')
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      const text = unlinked.replaceAll('`', '')
      return [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, text])
    }),
  )
}

/** Alerts whose paragraph is the advice about all that they count, by the error code or the kind of fault. */
const alertsOf = { jobTimedOut: 'PacketsJobsTimeOut', callback: 'PacketsCallbacksFail' }

/** What operations.md advises: by error code of a job, and `callback` about one that was not delivered. */
export function runbook(): Record<string, string> {
  const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const [, alerts = ''] = operations.split('## Alerts, and what to do')
  const sections = alerts.split(/^### /m).map((section): [string, string] => {
    const [title = '', ...lines] = section.split('\n')
    return [title, inlineText(lines.join('\n'))]
  })
  const bullets = sections.flatMap(([, text]) => text.split('\n').filter((line) => line.startsWith('- ')))
  const ofCodes = bullets.flatMap((bullet) =>
    [...bullet.matchAll(/`([a-z]\w+)`: /g)].map(([, code]) => [code, bullet.slice(2)]),
  )
  const ofAlerts = Object.entries(alertsOf).map(([what, alert]) => [what, new Map(sections).get(alert)])
  return Object.fromEntries([...ofCodes, ...ofAlerts])
}

/** Markdown with each paragraph and bullet on one line, and the words of its links only. */
const inlineText = (markdown: string): string =>
  markdown
    .trim()
    .replaceAll(/\n(?!\n|- )\s*/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')

const pageOf = (script: string, style: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Graph packets</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`

if (import.meta.main) await buildConsole()
