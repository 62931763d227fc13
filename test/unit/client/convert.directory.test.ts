import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { converted, knows, person } from '../../support/clients/converted.ts'

describe('the directory', () => {
  test('may exist if it is empty, and is refused if it is not', async () => {
    const { packet, out } = await converted([[person('a')]])
    expect(await runCli(['convert', packet, out, '--to', 'import-csv'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: ${out} is not empty; name another directory\n`),
    })
    const empty = emptyDirectory()
    expect(await runCli(['convert', packet, empty, '--to', 'import-csv'])).toMatchObject({ code: 0 })
    const file = join(packet, 'p.jsonPart1of1')
    expect(await runCli(['convert', packet, file, '--to', 'import-csv'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be written (ENOTDIR)'),
    })
  })
})

describe('import.sh', () => {
  /** Runs it with a stand-in for neo4j-admin that writes this report, and prints its arguments. */
  function imported(out: string, report: string, exit = 0, ...words: string[]) {
    const admin = join(dirname(out), 'neo4j-admin')
    const writing = `for word in "$@"; do case $word in --report-file=*) printf '%s' '${report}' >"\${word#*=}";; esac; done`
    writeFileSync(admin, `#!/bin/sh\n${writing}\nprintf '%s\\n' "$@"\nexit ${exit}\n`, { mode: 0o755 })
    return spawnSync('sh', [join(out, 'import.sh'), ...words], {
      env: { PATH: process.env.PATH, NEO4J_ADMIN: admin },
      encoding: 'utf8',
    })
  }

  test('calls the importer with the files, and options after it', async () => {
    const { out } = await converted([[person('a'), knows('a', 'b')]], '--database', 'people')
    const { status, stdout } = imported(out, '', 0, '--overwrite-destination')
    expect([status, stdout.trimEnd().split('\n')]).toEqual([
      0,
      [
        ...['database', 'import', 'full', 'people', '--array-delimiter=U+FDD0', `--report-file=${out}/import.report`],
        ...['--overwrite-destination', '--nodes=./nodes-1.csv', '--relationships=./relationships-1.csv'],
      ],
    ])
    expect(execFileSync('ls', ['-l', join(out, 'import.sh')], { encoding: 'utf8' })).toMatch(/^-rwx/)
  })

  test('fails if the importer skipped a row, although the importer does not', async () => {
    const { out } = await converted([[person('a')]])
    const { status, stderr } = imported(out, 'bad row')
    expect([status, stderr]).toEqual([1, 'bad rowerror: the importer skipped rows; drop the database, it lacks them\n'])
  })

  test('fails as the importer fails', async () => {
    const { out } = await converted([[person('a')]])
    expect(imported(out, '', 70).status).toBe(70)
  })

  test('names what line breaks and long rows need', async () => {
    const long = 'x'.repeat(5_000_000)
    const { out } = await converted([[person('a', { text: 'a\rb' }), person('b', { text: long })]])
    const { stdout } = imported(out, '')
    expect(stdout).toContain('--multiline-fields=true\n')
    const [, bytes] = /--read-buffer-size=(\d+)/.exec(stdout) ?? []
    expect(Number(bytes)).toBeGreaterThan(5_000_000)
  })
})
