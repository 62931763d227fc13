import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { type Build, digestOf, readBuild } from '../../shared/lifecycle/build.ts'
import { swaggerFiles, swaggerFolder } from '../../shared/lifecycle/swagger-ui.ts'
import { buildConsole } from './build-console.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')

/** Each program with its entry, and the oldest Node.js that can read the file. */
const programs = {
  api: { entry: 'api/main.ts', target: 'node24' },
  worker: { entry: 'worker/main.ts', target: 'node24' },
  doctor: { entry: 'doctor/main.ts', target: 'node24' },
  // Older than what the client needs, so that an older Node.js can read the file and refuse to run it.
  packets: { entry: 'client/main.ts', target: 'node18' },
} as const
export type ProgramName = keyof typeof programs

/** The file of a built program, from the root of the project. */
export const builtFile = (name: ProgramName): string => `dist/${name}.mjs`

// Packages in CommonJS call `require`, which an ES module does not have.
const banner =
  "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)"

/** Requires the modules of Node.js: an older one that lacks an imported name would run nothing of the file at all. */
const requireBuiltins: Plugin = {
  name: 'require builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : { path, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Builds one program into one file. @returns the files that it was built from, from the root of the project */
async function bundle(name: ProgramName, outfile: string, more: object = {}): Promise<string[]> {
  const { entry, target } = programs[name]
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    banner: { js: banner },
    plugins: name === 'packets' ? [requireBuiltins] : [],
    metafile: true,
    logLevel: 'warning',
    ...more,
  })
  writeFileSync(outfile, await withoutLettersBeyondAscii(readFileSync(outfile, 'utf8')))
  return Object.keys(metafile.inputs).filter((file) => !file.startsWith('builtin:'))
}

/**
 * One letter beyond ASCII, even in a comment, makes V8 hold the whole file with two bytes a letter. esbuild escapes those
 * of code. Columns stay as they are. @throws Error if such a letter stands in code
 */
export async function withoutLettersBeyondAscii(text: string): Promise<string> {
  const beyondAscii = /[^\0-\x7f]/g
  const { code } = await transform(text, { minifyWhitespace: true, legalComments: 'none' })
  if (beyondAscii.test(code)) throw new Error('esbuild left a letter beyond ASCII in code')
  return text.replace(beyondAscii, '?')
}

/** Builds the client into one file that runs anywhere, without a source map. */
export async function buildClient(outfile: string): Promise<void> {
  await bundle('packets', outfile)
  chmodSync(outfile, 0o755)
}

/** Names, versions and licences of the packages that are inside the programs. */
function licencesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license = 'unknown' } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    const own = files.sort().map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
    return [`${name} ${version}, ${license}`, ...own].join('\n\n')
  })
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** What a build depends on besides the sources of the programs. */
const tools = [
  'package-lock.json',
  'dev/tools/build-programs.ts',
  'dev/tools/build-console.ts',
  'docs/contract.md',
  'docs/operations.md',
]

/** Whether `dist` has what these sources make, and none of its files has changed. */
function isCurrent(): boolean {
  const known = readBuild(root)
  if (known === null || digestOf(root, known.sources) !== known.sourceDigest) return false
  return Object.entries(known.files).every(([file, digest]) => digestOf(dist, [file]) === digest)
}

/**
 * Builds all programs into `dist`, unless they are current: each in one file with its source map, the console, Swagger
 * UI, the licences of what is inside, and `build.json`.
 */
export async function buildPrograms(): Promise<void> {
  if (isCurrent()) return
  // Two commands may build at once: each builds apart, and moves whole files into place.
  const folder = `${dist}.${process.pid}`
  mkdirSync(join(folder, 'swagger-ui'), { recursive: true })
  try {
    const inputs = await buildInto(folder)
    // Another command has built the same, and its programs may be starting.
    if (isCurrent()) return
    writeFileSync(join(folder, 'licences.txt'), licencesOf(inputs))
    const sources = [...inputs.filter((file) => !file.includes('node_modules/')), ...tools].sort()
    const files = filesIn(folder)
    const built: Build = {
      sources,
      sourceDigest: digestOf(root, sources),
      files: Object.fromEntries(files.map((file) => [file, digestOf(folder, [file])])),
    }
    // Without this file the programs do not start.
    rmSync(join(dist, 'build.json'), { force: true })
    for (const file of files) {
      mkdirSync(dirname(join(dist, file)), { recursive: true })
      renameSync(join(folder, file), join(dist, file))
    }
    writeFileSync(join(dist, 'build.json'), JSON.stringify(built))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns the files that the programs were built from, from the root of the project */
async function buildInto(folder: string): Promise<string[]> {
  const names = Object.keys(programs) as ProgramName[]
  const inputs = await Promise.all(
    names.map((name) =>
      bundle(name, join(folder, `${name}.mjs`), {
        // Names stay, and lines stay short, because the stacks of most errors name lines of the built file.
        minifyWhitespace: true,
        lineLimit: 120,
        sourcemap: 'linked',
        sourcesContent: false,
        define: { BUILT_FILE: JSON.stringify(builtFile(name)) },
      }),
    ),
  )
  chmodSync(join(folder, 'packets.mjs'), 0o755)
  const ofConsole = await buildConsole(join(folder, 'console'))
  for (const name of swaggerFiles) copyFileSync(join(swaggerFolder, name), join(folder, 'swagger-ui', name))
  return [...new Set([...inputs.flat(), ...ofConsole, relative(root, join(swaggerFolder, 'package.json'))])]
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()

if (import.meta.main) await buildPrograms()
