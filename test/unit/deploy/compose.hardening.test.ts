import { describe, expect, test } from 'vitest'
import { documentsOf, manifest, textOf } from '../../support/documents/manifests.ts'

interface ComposeService {
  environment: Record<string, string | number | null>
  command?: string[]
  user?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
  pids_limit?: number
  logging?: { driver: string; options: Record<string, string> }
  networks?: string[]
  ports?: string[]
}

const text = textOf('docker-compose.yml')
const [file] = documentsOf<{
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean } | null>
}>('docker-compose.yml')
const services = Object.entries(file?.services ?? {})

describe.each(services)('the service %s of docker-compose.yml', (name, service) => {
  test('the service has least privileges', () => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    // The entry script of Neo4j writes its configuration into the image's own folder.
    expect(service.read_only).toBe(name !== 'neo4j')
  })

  test('the service cannot exhaust the memory, the processes or the disk of the machine', () => {
    expect(service.mem_limit).toMatch(/^\d+[mg]$/)
    expect(service.pids_limit).toBeGreaterThan(0)
    expect(service.logging).toMatchObject({ driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } })
  })

  test('the service publishes ports on the loopback interface only, and is in the network for that', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
    if (service.ports) expect(service.networks).toContain('front')
  })

  test('the service takes every secret from the operator', () => {
    const secrets = Object.entries(service.environment).filter(([, value]) => /PASSWORD|KEY/.test(String(value)))
    expect(secrets.length).toBeGreaterThan(0)
    for (const [, value] of secrets) expect(value).toMatch(/\$\{\w+:\?[^}]*\}/)
  })
})

test('a service without a port has no way out of the internal network, except workers, which read origins', () => {
  expect(file?.networks).toEqual({ front: null, back: { internal: true } })
  const networks = Object.fromEntries(services.map(([name, service]) => [name, service.networks]))
  const both = ['front', 'back']
  expect(networks).toEqual({ api: both, worker: both, s3: both, redis: ['back'], neo4j: ['back'] })
})

test('the header prepares exactly the variables that the file requires', () => {
  const prepared = [...text.matchAll(/^# {3}echo "([A-Z0-9_]+)=/gm)].map(([, name]) => name)
  const required = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  expect(prepared.sort()).toEqual([...new Set(required)].sort())
})

test('Redis demands the password of the programs, which is in no command line', () => {
  const redis = file?.services.redis as ComposeService
  const password = redis.environment.REDISCLI_AUTH as string
  expect(password).toMatch(/^\$\{REDIS_PASSWORD:\?/)
  for (const program of ['api', 'worker']) {
    expect(file?.services[program]?.environment.REDIS_URL).toBe(`redis://:${password}@redis:6379`)
  }
  expect(redis.command?.join('\n')).toMatch(/redis-server - <<END\nrequirepass \$\$REDISCLI_AUTH\n/)
  expect(redis.command?.join('\n')).toContain('maxmemory-policy noeviction\n')
})

test.each(['api', 'worker'])('the %s has the memory that it has in Kubernetes', (program) => {
  const [container] = manifest('Deployment', `packets-${program}`).spec.template.spec.containers
  const inKubernetes = container?.resources.limits.memory?.replace('i', '').toLowerCase()
  expect(file?.services[program]?.mem_limit).toBe(inKubernetes)
})
