import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startOf } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { environment } from '../../../shared/config/env.ts'
import { documentsOf, textOf } from '../../support/manifests.ts'

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

/** As Compose fills them in, with `given` as its own environment; a variable without a value is left out. */
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
  NEO4J_PASSWORD: 'password',
}

describe.each(programs)('the service %s of docker-compose.yml', (name) => {
  test('starts with what its head prepares', () => {
    expect(() => readConfig(name, settingsOf(name, prepared))).not.toThrow()
  })

  test('is started as npm starts it', () => {
    const image = /^CMD (.*)$/m.exec(textOf('Dockerfile'))?.[1] as string
    expect(serviceOf(name).command ?? JSON.parse(image)).toEqual(['node', ...startOf(name).args])
  })

  test('has no rights that it does not need, and writes nowhere but to memory', () => {
    expect(serviceOf(name)).toMatchObject({
      build: '.',
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })

  test('is asked for its health where it listens', () => {
    const { api, worker } = readConfig(name, settingsOf(name, prepared))
    const port = name === 'api' ? api.port : worker.healthPort
    expect(serviceOf(name).healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`)
  })

  test('is given as long to stop as in Kubernetes, but for the wait before the signal', () => {
    const [deployment] = documentsOf<{ spec: { template: { spec: { terminationGracePeriodSeconds: number } } } }>(
      `deploy/kubernetes/${name}.yaml`,
    )
    const seconds = Number(/^(\d+)s$/.exec(serviceOf(name).stop_grace_period)?.[1])
    const inKubernetes = deployment?.spec.template.spec.terminationGracePeriodSeconds as number
    expect(seconds).toBeGreaterThanOrEqual(name === 'api' ? inKubernetes - 10 : inKubernetes)
  })
})

test('both programs start when every dependency is healthy, and are stopped before the first of them', () => {
  const dependencies = Object.keys(compose?.services ?? {}).filter((name) => !programs.includes(name as 'api'))
  expect(dependencies.sort()).toEqual(['neo4j', 'redis', 's3'])
  for (const name of dependencies) expect(serviceOf(name).healthcheck.test.length).toBeGreaterThan(1)
  // Compose stops in the reverse order of this. A run whose origin or store went first would end its attempts.
  const all = Object.fromEntries(dependencies.map((name) => [name, { condition: 'service_healthy' }]))
  for (const name of programs) expect([name, serviceOf(name).depends_on]).toEqual([name, all])
})

test('every setting can be given by its own name, but for those of tests', () => {
  const taken = programs.flatMap((name) => Object.keys(serviceOf(name).environment))
  expect(taken.filter((name) => !(name in environment.shape))).toEqual([])
  expect(Object.keys(environment.shape).filter((name) => !taken.includes(name))).toEqual(['FAILPOINT'])
})

describe('the image', () => {
  const lines = textOf('Dockerfile').split('\n')
  const copied = lines.flatMap((line) => /^COPY (\w+) \1$/.exec(line)?.[1] ?? [])

  test('does not run as root, and says so by number', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000'])
    const started = lines.findIndex((line) => line.startsWith('CMD '))
    expect(lines.findIndex((line) => line.startsWith('USER '))).toBeLessThan(started)
  })

  test('runs no install script, and has no development dependency', () => {
    const installs = lines.filter((line) => /\bnpm\b/.test(line) && line.startsWith('RUN '))
    expect(installs).toHaveLength(1)
    expect(installs[0]).toMatch(/npm ci --omit=dev --ignore-scripts/)
  })

  test('holds every program with all that it imports, and nothing else gets into its making', () => {
    const product = globSync('{api,worker,doctor,shared}/**/*.ts')
    const imported = product.flatMap((file) =>
      [...textOf(file).matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path as string)),
    )
    const tops = new Set(product.map((file) => file.split('/')[0]))
    expect(imported.filter((file) => !tops.has(file.split('/')[0]))).toEqual([])
    expect(copied.sort()).toEqual([...tops].sort())
    const passed = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    expect(passed.sort()).toEqual([...copied, 'package.json', 'package-lock.json'].map((name) => `!${name}`).sort())
  })

  test.each(programs)('gives %s the variables that npm gives it, and has compiled it with its flags', (name) => {
    const { args, variables } = startOf(name)
    const given = lines.flatMap((line) => (line.startsWith('ENV ') ? line.split(' ').slice(1) : []))
    const environment = Object.fromEntries(given.map((word) => word.split('=')))
    expect(environment).toMatchObject({ ...variables, NODE_COMPILE_CACHE: '/app/.compile-cache' })
    expect(lines.filter((line) => line.includes(`! node ${args.join(' ')} &&`))).toHaveLength(1)
  })

  test('makes the compile cache as the user that fills it: no program before, npm least of all, is told of it', () => {
    const place = (what: string) => lines.findIndex((line) => line.includes(what))
    const steps = [
      'npm ci',
      'mkdir .compile-cache',
      'USER 1000:1000',
      'NODE_COMPILE_CACHE=',
      'RUN ! node --max-semi-space-size=8 api/main.ts',
    ]
    const places = steps.map(place)
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('needs no file system to write to', () => {
    const writes = /\b(writeFile|appendFile|createWriteStream|mkdir|mkdtemp|rename|unlink|rmdir|copyFile)(Sync)?\(/
    expect(globSync('{api,worker,doctor,shared}/**/*.ts').filter((file) => writes.test(textOf(file)))).toEqual([])
  })
})
