import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { digestOf, problemOfBuild } from '../../shared/lifecycle/build.ts'
import { sourceStack } from '../../shared/observability/source-map.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

// Longer than the buffer through which it is read.
const program = 'the program'.repeat(20_000)

function built(): void {
  write('api/main.ts', 'one')
  write('dist/api.mjs', program)
  const sources = ['api/main.ts']
  const files = { 'api.mjs': digestOf(join(root, 'dist'), ['api.mjs']) }
  write('dist/build.json', JSON.stringify({ sources, sourceDigest: digestOf(root, sources), files }))
}
const problem = () => problemOfBuild(root, 'dist/api.mjs')

test('a program runs as it was built, beside its sources and without them', () => {
  built()
  expect(problem()).toBeNull()
  rmSync(join(root, 'api'), { recursive: true })
  expect(problem()).toBeNull()
})

test('a program does not run beside sources that have changed since it was built', () => {
  built()
  write('api/main.ts', 'two')
  expect(problem()).toBe('dist/api.mjs was built from other sources: run `npm run build`')
})

test.each([
  ['whose file is not whole', () => write('dist/api.mjs', program.slice(0, -3))],
  ['whose file has changed at its end', () => write('dist/api.mjs', `${program.slice(0, -1)}n`)],
  ['of a build that was interrupted', () => rmSync(join(root, 'dist/build.json'))],
  ['of a build whose record is not whole', () => write('dist/build.json', '{"sour')],
])('a program %s does not run', (_what, breaks) => {
  built()
  breaks()
  expect(problem()).toBe('dist/api.mjs is not as it was built: run `npm run build`')
})

test('the stack of an error in a built program names its source, and stays as it is without a source map', async () => {
  write('from/program.ts', 'type T = string\n\nexport function fails(text: T): never {\n  throw new Error(text)\n}\n')
  const file = join(root, 'dist/program.mjs')
  const entryPoints = [join(root, 'from/program.ts')]
  await build({ entryPoints, outfile: file, bundle: true, format: 'esm', sourcemap: 'linked', minifyWhitespace: true })
  const { href } = pathToFileURL(file)
  // Not here, as Vitest names the sources itself.
  const script = `import('${href}').then((it) => it.fails('why')).catch((error) => process.stdout.write(error.stack))`
  const stack = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  const frames = sourceStack(stack, href).split('\n')
  expect(frames[0]).toBe('Error: why')
  expect(frames[1]).toMatch(/^ {4}at (Module\.)?fails \(from\/program\.ts:4:\d+\)$/)
  expect(sourceStack(stack, `${href}.other`)).toBe(stack)
  const unusual = `Error: ${href}:\n    at ${href}:x:y`
  expect(sourceStack(unusual, href)).toBe(unusual)
})
