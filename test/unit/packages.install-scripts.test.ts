import { expect, test } from 'vitest'
import { textOf } from '../support/documents/manifests.ts'

interface Locked {
  hasInstallScript?: boolean
  dev?: boolean
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> }
const { allowScripts, scarfSettings } = JSON.parse(textOf('package.json'))
const nameOf = (path: string) => path.split('node_modules/').at(-1) as string
const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)

test('the packages with an install script are exactly those listed, and only one may run it', () => {
  expect(withScript.map(([path]) => nameOf(path)).sort()).toEqual(Object.keys(allowScripts).sort())
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node'])
})

test('the package that may run its install script is a development dependency, so the image runs none', () => {
  expect(packages['node_modules/node']?.dev).toBe(true)
  expect(textOf('Dockerfile')).toContain('npm ci --omit=dev --ignore-scripts')
})

test('an npm that does not support the list runs no other install script either', () => {
  const install = textOf('dev/install.mjs')
  const calls = [...install.matchAll(/\bnpm\('(\w+)'(.*)\)/g)].map(([, command, rest]) => [
    command,
    rest?.includes("'--ignore-scripts'"),
  ])
  expect(calls).toEqual([
    ['ci', true],
    ['rebuild', false],
  ])
  expect(install).toContain("npm('rebuild', 'node',")
  expect(scarfSettings).toEqual({ enabled: false })
})
