import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startOf } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { environment } from '../../../shared/config/env.ts'
import { documentsOf, textOf } from '../../support/documents/manifests.ts'

interface ComposeService {
  image: string
  build?: string
  command?: string[]
  environment: Record<string, string | number | null>
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period: string
  healthcheck: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}

const [compose] = documentsOf<{ services: Record<string, ComposeService>; secrets: object }>('docker-compose.yml')
const serviceOf = (name: string) => compose?.services[name] as ComposeService
const programs = ['api', 'worker'] as const

/** The variables as Compose interpolates them from `given`; variables without a value are omitted. */
function settingsOf(name: string, given: Record<string, string>): Record<string, string> {
  const filled = Object.entries(serviceOf(name).environment).flatMap(([key, value]) => {
    if (value === null) return given[key] === undefined ? [] : [[key, given[key] as string]]
    const text = String(value).replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, variable, how, other) => {
      if (given[variable]) return given[variable]
      if (how === '-') return other
      throw new Error(`${variable} is required`)
    })
    return [[key, text]]
  })
  return Object.fromEntries(filled)
}

const prepared = {
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret',
  REDIS_PASSWORD: 'password',
  NEO4J_PASSWORD: 'password',
}

describe.each(programs)('the service %s of docker-compose.yml', (name) => {
  test('the service starts with the variables that the header of the file prepares', () => {
    expect(() => readConfig(name, settingsOf(name, prepared))).not.toThrow()
  })

  test('the service has the same start command as in npm', () => {
    const image = /^CMD (.*)$/m.exec(textOf('Dockerfile'))?.[1] as string
    expect(serviceOf(name).command ?? JSON.parse(image)).toEqual(['node', ...startOf(name, true).args])
  })

  test('the service has least privileges, and writes only to memory, or the worker to scratch space', () => {
    expect(serviceOf(name)).toMatchObject({
      build: '.',
      read_only: true,
      tmpfs: name === 'worker' ? [] : ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  test('the service has a health check on the port where it listens', () => {
    const { api, worker } = readConfig(name, settingsOf(name, prepared))
    const port = name === 'api' ? api.port : worker.healthPort
    expect(serviceOf(name).healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`)
  })

  test('the service has the same stop timeout as in Kubernetes, without the preStop wait', () => {
    const [deployment] = documentsOf<{ spec: { template: { spec: { terminationGracePeriodSeconds: number } } } }>(
      `deploy/kubernetes/${name}.yaml`,
    )
    const seconds = Number(/^(\d+)s$/.exec(serviceOf(name).stop_grace_period)?.[1])
    const inKubernetes = deployment?.spec.template.spec.terminationGracePeriodSeconds as number
    expect(seconds).toBeGreaterThanOrEqual(name === 'api' ? inKubernetes - 10 : inKubernetes)
  })
})

test('both programs start after all dependencies are healthy, and stop before them', () => {
  const dependencies = Object.keys(compose?.services ?? {}).filter((name) => !programs.includes(name as 'api'))
  expect(dependencies.sort()).toEqual(['neo4j', 'redis', 's3'])
  for (const name of dependencies) expect(serviceOf(name).healthcheck.test.length).toBeGreaterThan(1)
  // Compose stops in reverse order. A run whose origin or store stops first would use up its attempts.
  const all = Object.fromEntries(dependencies.map((name) => [name, { condition: 'service_healthy' }]))
  for (const name of programs) expect([name, serviceOf(name).depends_on]).toEqual([name, all])
})

test('the trial kills every service once', () => {
  const [, killed] = /^for service in (.*); do$/m.exec(textOf('deploy/try.sh')) ?? []
  expect(killed?.split(' ').sort()).toEqual(Object.keys(compose?.services ?? {}).sort())
})

test('every setting can be passed under its own name', () => {
  const taken = programs.flatMap((name) => Object.keys(serviceOf(name).environment))
  expect(taken.filter((name) => !(name in environment.shape))).toEqual([])
  expect(Object.keys(environment.shape).filter((name) => !taken.includes(name))).toEqual([])
})

describe('the image', () => {
  const lines = textOf('Dockerfile').split('\n')
  const copied = lines.flatMap((line) => /^COPY (\w+) \1$/.exec(line)?.[1] ?? [])

  test('the image does not run as root, and has a numeric user', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000'])
    const started = lines.findIndex((line) => line.startsWith('CMD '))
    expect(lines.findIndex((line) => line.startsWith('USER '))).toBeLessThan(started)
  })

  test('the image runs no install scripts, and has no development dependencies', () => {
    const installs = lines.filter((line) => /\bnpm\b/.test(line) && line.startsWith('RUN '))
    expect(installs).toHaveLength(2)
    expect(installs[0]).toMatch(/npm ci --omit=dev --ignore-scripts/)
    // The stage that builds the programs, of which the image takes only what was built.
    expect(installs[1]).toMatch(/npm ci --ignore-scripts/)
    expect(lines.filter((line) => line.includes('--from='))).toEqual([
      'COPY --from=dependencies /graph-packets/sbom.cdx.json ./',
      'COPY --from=build /graph-packets/dist dist',
    ])
  })

  test('the image is built from every program with all its imports, and the build context has nothing else', () => {
    const product = globSync('{api,worker,doctor,client,packet,wire,shared}/**/*.ts')
    const imported = product.flatMap((file) =>
      [...textOf(file).matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path as string)),
    )
    const tops = new Set(product.map((file) => file.split('/')[0]))
    expect(imported.filter((file) => !tops.has(file.split('/')[0]))).toEqual([])
    expect([...new Set(copied)].sort()).toEqual([...tops, 'console'].sort())
    const passed = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    const others = ['package.json', 'package-lock.json', 'dev/tools', 'docs/contract.md', 'docs/operations.md']
    expect(passed.sort()).toEqual([...tops, 'console', ...others].map((name) => `!${name}`).sort())
  })

  test('the image says what it is, as package.json does', () => {
    const { name, description, version, license } = JSON.parse(textOf('package.json'))
    const labels = [...textOf('Dockerfile').matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)]
    expect(Object.fromEntries(labels.map(([, key, value]) => [key, value]))).toEqual({
      title: name,
      description,
      version,
      revision: '$REVISION',
      licenses: license,
    })
  })

  test('the image takes its base from one argument, so that a digest pins all stages', () => {
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1])
    expect(bases).toEqual(Array(3).fill('$NODE_IMAGE'))
  })

  test('the image has the client as the command packets', () => {
    expect(lines).toContain('RUN ln -s /app/dist/packets.mjs /usr/local/bin/packets')
    expect(textOf('client/main.ts')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  test.each(programs)('the image gives %s the same variables as npm, and compiles it with its flags', (name) => {
    const { args, variables } = startOf(name, true)
    const given = lines.flatMap((line) => (line.startsWith('ENV ') ? line.split(' ').slice(1) : []))
    const environment = Object.fromEntries(given.map((word) => word.split('=')))
    expect(environment).toMatchObject({ ...variables, NODE_COMPILE_CACHE: '/app/.compile-cache' })
    expect(lines.filter((line) => line.includes(`! node ${args.join(' ')} &&`))).toHaveLength(1)
  })

  test('the image creates the compile cache before it switches to its user, and then sets its variable', () => {
    const place = (what: string) => lines.findIndex((line) => line.includes(what))
    const steps = [
      'npm ci',
      'mkdir .compile-cache',
      'USER 1000:1000',
      'NODE_COMPILE_CACHE=',
      'RUN ! node --max-semi-space-size=8 --heap-growing-percent=80 dist/api.mjs',
    ]
    const places = steps.map(place)
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('the image needs no writable file system but scratch space of the worker', () => {
    const writes = /\b(writeFile|appendFile|createWriteStream|mkdir|mkdtemp|rename|unlink|rmdir|copyFile)(Sync)?\(/
    const isOfPrograms = (file: string) => !file.startsWith('shared/replay/')
    const files = globSync('{api,worker,doctor,packet,wire,shared}/**/*.ts').filter(isOfPrograms)
    expect(files.filter((file) => writes.test(textOf(file)))).toEqual(['shared/publish/state/scratch.ts'])
    expect(serviceOf('worker')).toMatchObject({ read_only: true, tmpfs: [], volumes: ['/tmp'] })
    // A replay keeps its state in a file, but no program that runs in the image replays.
    expect(files.filter((file) => textOf(file).includes('/replay/'))).toEqual([])
  })
})
