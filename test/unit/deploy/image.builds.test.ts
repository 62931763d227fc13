import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { textOf } from '../../support/documents/manifests.ts'

const root = join(import.meta.dirname, '../../..')

test('the programs can be built from what the image copies, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [, stage = ''] = /^FROM \S+ AS build$([\s\S]*?)^FROM /m.exec(textOf('Dockerfile')) ?? []
  const copied = [...stage.matchAll(/^COPY (.+) (\S+)$/gm)].flatMap(([, names = '']) => names.split(' '))
  expect(copied).toContain('package-lock.json')
  for (const name of copied) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (file) => !file.includes('console/dist') })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const built = spawnSync(process.execPath, ['dev/tools/build-programs.ts'], { cwd: folder, encoding: 'utf8' })
  expect(built.stderr).toBe('')
  expect(existsSync(join(folder, 'dist/build.json'))).toBe(true)
}, 60_000)
