import { expect, test } from 'vitest'
import { textOf } from '../support/manifests.ts'

interface Locked {
  hasInstallScript?: boolean
  dev?: boolean
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> }
const { allowScripts, scarfSettings } = JSON.parse(textOf('package.json'))
const nameOf = (path: string) => path.split('node_modules/').at(-1) as string
const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)

test('packages with an install script are exactly those that are listed, and one of them may run it', () => {
  expect(withScript.map(([path]) => nameOf(path)).sort()).toEqual(Object.keys(allowScripts).sort())
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node'])
})

test('that one is needed for development only, so that the image runs none', () => {
  expect(packages['node_modules/node']?.dev).toBe(true)
  expect(textOf('Dockerfile')).toContain('npm ci --omit=dev --ignore-scripts')
})

test('an npm that does not know that list runs no other one either', () => {
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
