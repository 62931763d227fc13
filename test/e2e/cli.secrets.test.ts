import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '../../client/program.ts'
import { emptyDirectory, runCli } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'
import { managerClient, newModel } from '../support/models/models.ts'

const { org, label, variables, to, fields, neo4j, client } = await prepareReplay(3)

test('no command writes a secret to its output or to a file', async () => {
  const cwd = emptyDirectory()
  const [request, people, state] = ['request.json', 'people', 'state.json'].map((name) => join(cwd, name)) as [
    string,
    string,
    string,
  ]
  const { dbUrl: _, credentials, ...rest } = { ...fields, originIds: ['p1'], parameterSyntax: 'dollar' }
  writeFileSync(request, JSON.stringify({ ...rest, orgName: org }))
  const origin = {
    PACKETS_ORIGIN_URL: neo4j.boltUrl,
    PACKETS_ORIGIN_USER: neo4j.username,
    PACKETS_ORIGIN_PASSWORD: neo4j.password,
  }
  const env = { ...variables, ...origin }
  const { version } = await newModel(managerClient(client))
  // Each command succeeds with these variables. With the others, the servers refuse some secrets.
  const good = [
    ['publish', request, '--name', 'people.json', '--progress', 'json'],
    ['publish', request, '--name', 'later.json', '--no-wait'],
    ['ls', org],
    ['jobs', org, '--json'],
    ['get', `${org}/people.json`, '--json', '-o', people],
    ['inspect', people, '--json'],
    ['inspect', `${org}/people.json`],
    ['diff', people, `${org}/people.json`, '--out', join(cwd, 'rest')],
    ['convert', people, join(cwd, 'files'), '--to', 'import-csv'],
    ['model', version.grn, '--picture', join(cwd, 'model.svg')],
    ['whoami'],
    ['create', org],
    ['overview', '--json'],
    ['replay', people, ...to, '--create-constraints', '--state', state, '--json', '--progress', 'json'],
    ['verify', people, ...to, '--json', '--progress', 'json'],
    ['copy', request, '--name', 'copied.json', '--force', ...to, '--state', join(cwd, 'copy.json'), '--json'],
  ]
  const outputs: string[] = []
  const codes: (number | null)[] = []
  const run = async (words: string[], variables: Record<string, string>) => {
    const { code, stdout, stderr } = await runCli(words, variables)
    outputs.push(stdout, stderr)
    codes.push(code)
    return stdout
  }
  for (const words of good) await run(words, env)
  const id = JSON.parse(outputs[6] as string).jobs[0].id
  await run(['job', id, '--follow'], env)
  expect(codes).toEqual(codes.map(() => 0))

  const link = (await client.get(`/1.0/publish/${org}/people.json/url`)).body.fileLocation as string
  const spoilt = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, /URL|USER/.test(name) ? value : `${value}X`]),
  )
  for (const words of [...good, ['job', id], ['inspect', link.replace(/(Signature=\w+)\w/, '$1Z')]])
    await run(words, spoilt)
  await run(['replay', people, ...to, '--state', state], {
    ...env,
    PACKETS_TARGET_PASSWORD: spoilt.PACKETS_TARGET_PASSWORD as string,
  })
  await run(['copy', request, '--name', 'spoilt.json', ...to, '--state', state], {
    ...spoilt,
    PACKETS_TOKEN: env.PACKETS_TOKEN as string,
  })
  const left = await leaveFiles(cwd, (words) => run(words, env))
  await run(['publish', request, '--name', 'spoilt.json'], { ...spoilt, PACKETS_TOKEN: env.PACKETS_TOKEN })

  expect([...new Set(outputs.length > 0 ? good.map(([name]) => name).concat('job') : [])].sort()).toEqual(allCommands())
  const files = globSync('**/*', { cwd, exclude: ['request.json'] }).map((name) => join(cwd, name))
  const written = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'))
  expect(written.length).toBeGreaterThanOrEqual(3)
  expect(files).toEqual(expect.arrayContaining(left))
  const secrets = [
    env.PACKETS_TOKEN,
    env.PACKETS_TARGET_PASSWORD,
    env.PACKETS_ORIGIN_PASSWORD,
    credentials,
    'Signature=',
  ]
  const holding = [...outputs, ...written].filter((text) => secrets.some((secret) => text.includes(secret)))
  expect(holding).toEqual([])
})

/** Replays a packet whose second part the target refuses, once to stop there, once to collect the pair. */
async function leaveFiles(cwd: string, run: (words: string[]) => Promise<unknown>): Promise<string[]> {
  const [parts, state, rejects] = [join(cwd, 'parts'), join(cwd, 'left.json'), join(cwd, 'rejects.json')]
  mkdirSync(parts)
  // Larger than a window, so that the first part is done before the second fails.
  const padding = 'x'.repeat(9 * 1024 * 1024)
  for (const [index, id] of ['good', { no: 'id' }].entries()) {
    const statement = `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`
    const statements = [{ statement, parameters: { id }, metadata: index === 0 ? { padding } : null }]
    writeFileSync(join(parts, `p.jsonPart${index + 1}of2`), JSON.stringify({ statements }))
  }
  await run(['replay', parts, ...to, '--state', state])
  await run(['replay', parts, ...to, '--state', `${state}.2`, '--on-error', 'collect', '--rejects', rejects])
  return [state, rejects]
}

function allCommands(): string[] {
  const context = { environment: {}, stderr: {}, signal: new AbortController().signal }
  return createProgram(context as Parameters<typeof createProgram>[0])
    .commands.map((command) => command.name())
    .sort()
}
