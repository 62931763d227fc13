import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { textOf } from '../support/documents/manifests.ts'

interface Locked {
  integrity?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

type Packages = Record<string, Locked>

const packagesOf = (text: string) => (JSON.parse(text) as { packages: Packages }).packages
const withoutIntegrity = (packages: Packages) => Object.keys(packages).filter((path) => !packages[path]?.integrity)
const packages = packagesOf(textOf('package-lock.json'))

// Prebuilt binaries for other platforms: the registry used for the lock file lacks them (404), so npm records only the
// version that the dependent package requires.
const binaries: Record<string, string[]> = {
  '@biomejs/cli-': [
    ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64'],
    ...['linux-arm64-musl', 'linux-x64-musl', 'win32-arm64', 'win32-x64'],
  ],
  '@msgpackr-extract/msgpackr-extract-': ['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64'],
  '@oxc-parser/binding-': [
    ...['android-arm-eabi', 'android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf'],
    ...['linux-arm-musleabihf', 'linux-ppc64-gnu', 'linux-riscv64-gnu', 'linux-riscv64-musl', 'linux-s390x-gnu'],
    ...['openharmony-arm64', 'win32-arm64-msvc', 'win32-ia32-msvc', 'win32-x64-msvc'],
  ],
}

test('only this project and binaries missing from the registry have no integrity', () => {
  const missing = Object.entries(binaries).flatMap(([prefix, platforms]) =>
    platforms.map((platform) => `node_modules/${prefix}${platform}`),
  )
  expect(withoutIntegrity(packages).sort()).toEqual(['', ...missing].sort())
})

test.each(['x64', 'arm64'])('every package installed on Linux with glibc on %s has an integrity', (cpu) => {
  const fits = ({ os, cpu: cpus, libc }: Locked) =>
    (os?.includes('linux') ?? true) && (cpus?.includes(cpu) ?? true) && (libc?.includes('glibc') ?? true)
  const unverified = withoutIntegrity(packages).filter((path) => path !== '' && fits(packages[path] as Locked))
  expect(unverified).toEqual([])
})

test('the lock file names no registry', () => {
  expect(textOf('package-lock.json')).not.toMatch(/"resolved"/)
})

test('the command in docs/deployment.md removes only the entries without integrity', () => {
  const [, script = ''] = /^node -e '(.*)' && npm install --package-lock-only/m.exec(textOf('docs/deployment.md')) ?? []
  expect(script).not.toBe('')
  const directory = mkdtempSync(join(tmpdir(), 'lock-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  cpSync('package-lock.json', join(directory, 'package-lock.json'))
  execFileSync('node', ['-e', script], { cwd: directory })
  const kept = packagesOf(readFileSync(join(directory, 'package-lock.json'), 'utf8'))
  expect(kept).toEqual(Object.fromEntries(Object.entries(packages).filter(([path, it]) => path === '' || it.integrity)))
})
