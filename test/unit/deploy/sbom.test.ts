import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textOf } from '../../support/documents/manifests.ts'

interface Package {
  version: string
  /** Not installed in production. */
  dev?: boolean
}

const root = join(import.meta.dirname, '../../..')
const { packages }: { packages: Record<string, Package> } = JSON.parse(textOf('package-lock.json'))
/** Those of production, without optional ones that are for other platforms. */
const production = Object.entries(packages).filter(
  ([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path, 'package.json')),
)

/** A folder as the build stage of the image has it after `npm ci --omit=dev`, with the manifests of the packages only. */
function buildStage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'graph-packets-'))
  const paths = ['', ...production.map(([path]) => path)]
  for (const file of ['package-lock.json', ...paths.map((path) => join(path, 'package.json'))]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(root, file), join(folder, file))
  }
  return folder
}

test('the bill of materials names every installed production package of package-lock.json, and no other', () => {
  const [commands] = /npm pkg delete .*sbom\.cdx\.json/.exec(textOf('Dockerfile')) ?? []
  const folder = buildStage()
  try {
    execFileSync('sh', ['-c', commands as string], { cwd: folder, stdio: 'pipe' })
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'))
    expect(bomFormat).toBe('CycloneDX')
    const named = (components as { name: string; version: string }[]).map(({ name, version }) => `${name}@${version}`)
    const expected = production.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
    expect(expected.length).toBeGreaterThan(100)
    expect(named.sort()).toEqual([...new Set(expected)].sort())
  } finally {
    rmSync(folder, { recursive: true })
  }
})
