// Runs before node_modules exists, under whatever Node the machine has: no dependencies, no TypeScript.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_NODE = 20
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.installed-from')
const runtime = join(root, 'node_modules', '.bin', 'node')

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`Node.js ${process.versions.node} is too old: install Node.js ${OLDEST_NODE} or later.`)
}
const wanted = fingerprint()
if (!isInstalled()) install()

function install() {
  console.error('Installing the packages of package-lock.json')
  rmSync(stamp, { force: true })
  // --include=dev: with NODE_ENV=production npm would omit the Node that runs everything else.
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev')
  // The only package whose install script must run: it downloads the Node binary.
  npm('rebuild', 'node', '--loglevel=error')
  if (!runs(runtime)) fail('The npm package "node" came without its program: allow npm to run install scripts.')
  writeFileSync(stamp, wanted)
}

function npm(...args) {
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    // Standard output is for the program that runs after this.
    stdio: ['ignore', process.stderr, 'inherit'],
    env: { ...process.env, PATH: pathWithoutOurs() },
    shell: process.platform === 'win32',
  })
  if (status !== 0) fail(`npm ${args[0]} failed (${error ? error.message : `exit code ${status}`}).`)
}

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

function fingerprint() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(`${process.platform} ${process.arch}\n`).update(lock).digest('hex')
}

/** `npm run` puts our own Node first on the PATH, but npm cannot run on the Node that it is about to replace. */
function pathWithoutOurs() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.startsWith(join(root, 'node_modules') + sep)).join(delimiter)
}

function runs(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore', shell: process.platform === 'win32' }).status === 0
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
