import { globSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startOf } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { environment } from '../../../shared/config/env.ts'
import { queueKeys } from '../../../shared/queue/fair-queueing.ts'
import { queueKey } from '../../../shared/redis/keys.ts'
import type { Peer } from '../../support/documents/manifests.ts'
import { documentsOf, environmentOf, manifest, manifests, textOf } from '../../support/documents/manifests.ts'

const programs = ['api', 'worker'] as const
const deployment = (program: string) => manifest('Deployment', `packets-${program}`)
const podOf = (program: string) => deployment(program).spec.template
const containerOf = (program: string) => {
  const [container, ...others] = podOf(program).spec.containers
  if (!container || others.length > 0) throw new Error(`${program}: one container was expected`)
  return container
}

test('the kustomization lists every file except the example secrets', () => {
  const [{ resources } = { resources: [] }] = documentsOf<{ resources: string[] }>(
    'deploy/kubernetes/kustomization.yaml',
  )
  const files = globSync('*.yaml', { cwd: 'deploy/kubernetes' }).sort()
  expect([...resources, 'kustomization.yaml', 'secrets.example.yaml'].sort()).toEqual(files)
})

describe.each(programs)('the settings of the %s', (program) => {
  const settings = environmentOf(containerOf(program))

  test('the settings of a program are all known', () => {
    const unknown = Object.keys(settings).filter((name) => !(name in environment.shape))
    expect(unknown).toEqual([])
  })

  test('the settings of a program are complete and valid', () => {
    expect(() => readConfig(program, settings)).not.toThrow()
  })
})

test('a worker does not get the settings that only the API needs', () => {
  const settings = Object.keys(environmentOf(containerOf('worker')))
  expect(settings.filter((name) => /^(AUTH_|MANAGER_)/.test(name))).toEqual([])
})

describe.each(programs)('the pod of the %s', (program) => {
  const container = containerOf(program)
  const { api, worker, metrics } = readConfig(program, environmentOf(container))
  const [port, metricsPort] = container.ports

  test('the pod starts an existing program, which listens on the declared port', () => {
    expect(container.args).toEqual(['node', ...startOf(program, true).args])
    expect(textOf(`${program}/main.ts`)).toContain('startProgram')
    expect(port?.containerPort).toBe(program === 'api' ? api.port : worker.healthPort)
    expect(program === 'api' ? api.host : worker.healthHost).toBe('0.0.0.0')
  })

  test('the pod serves its metrics on a port of their own, which only Prometheus may reach', () => {
    expect(metricsPort).toEqual({ name: 'metrics', containerPort: metrics?.port })
    expect(metrics?.host).toBe('0.0.0.0')
    const scraped = podOf(program).metadata.annotations
    expect([scraped['prometheus.io/port'], scraped['prometheus.io/path']]).toEqual([`${metrics?.port}`, '/metrics'])
    const { ingress = [], podSelector } = manifest('NetworkPolicy', 'packets-scrapes').spec
    expect(podOf(program).metadata.labels).toMatchObject(podSelector.matchLabels)
    expect(ingress.flatMap(({ from, ports }) => (from ? ports : []))).toEqual([
      { port: metrics?.port, protocol: 'TCP' },
    ])
  })

  test.each(['startupProbe', 'readinessProbe', 'livenessProbe'] as const)(
    'the pod has a %s with a known path and a sufficient timeout',
    (name) => {
      const { httpGet, timeoutSeconds } = container[name]
      expect(httpGet.port).toBe(port?.name)
      expect(textOf('shared/observability/health.ts')).toContain(`path === '${httpGet.path}'`)
      const limitMs = Number(
        /checkLimitMs = ([\d_]+)/.exec(textOf('shared/observability/health.ts'))?.[1]?.replace('_', ''),
      )
      expect(timeoutSeconds * 1_000).toBeGreaterThan(limitMs)
    },
  )

  test('the pod has a termination grace period longer than all releases take', () => {
    const sources = [`${program}/*.ts`, 'shared/lifecycle/listen.ts'].flatMap((pattern) => globSync(pattern))
    const releases = sources.map((file) => textOf(file).match(/releases\.add\(/g)?.length ?? 0)
    const each = 10
    const preStop = Number(container.lifecycle?.preStop.exec.command[1] ?? 0)
    const stopping = preStop + (program === 'worker' ? worker : api).stopGraceSeconds
    const most = releases.reduce((sum, count) => sum + count * each, stopping)
    expect(textOf('shared/lifecycle/releases.ts')).toContain(`limitMs = ${each}_000`)
    expect(podOf(program).spec.terminationGracePeriodSeconds).toBeGreaterThan(most)
  })

  test('the pod has least privileges and a memory limit', () => {
    expect(podOf(program).spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources.limits.memory).toMatch(/^\d+(Mi|Gi)$/)
  })

  test('the pod is selected by its deployment and its disruption budget', () => {
    const { labels } = podOf(program).metadata
    expect(deployment(program).spec.selector.matchLabels).toEqual(labels)
    expect(manifest('PodDisruptionBudget', `packets-${program}`).spec.selector.matchLabels).toEqual(labels)
  })
})

test('the service targets the port of the API', () => {
  const { selector, ports } = manifest('Service', 'packets-api').spec
  expect(selector).toEqual(podOf('api').metadata.labels)
  expect(ports.map(({ targetPort }) => targetPort)).toEqual([containerOf('api').ports[0]?.name])
})

describe('the number of workers follows', () => {
  const { advanced, triggers } = manifest('ScaledObject', 'packets-worker').spec
  const counted = ['wait', 'prioritized', 'active'] as const

  test('the number of workers follows the sum of waiting and active jobs, read from the lists of the queue', () => {
    expect(triggers.map(({ type, name, metadata }) => [type, name, metadata.listName])).toEqual(
      counted.map((state) => ['redis', state, queueKey(state)]),
    )
    expect(advanced.scalingModifiers.formula).toBe(counted.join(' + '))
    expect(counted.every((state) => state in queueKeys)).toBe(true)
  })

  test('the number of workers follows the concurrency of a worker, counted in the Redis of the programs', () => {
    const { worker, redis } = readConfig('worker', environmentOf(containerOf('worker')))
    const { host, pathname } = new URL(redis.url)
    expect(advanced.scalingModifiers.target).toBe(String(worker.concurrency))
    for (const { metadata } of triggers) {
      expect([metadata.address, `/${metadata.databaseIndex}`]).toEqual([host, pathname])
    }
  })
})

describe('the network policies', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
  const rules = policies.flatMap(({ spec }) => spec.egress ?? [])

  test('the network policies deny everything by default, for both programs', () => {
    const closed = policies.find(({ metadata }) => metadata.name === 'packets-nothing-else')
    expect(closed?.spec.policyTypes).toEqual(['Ingress', 'Egress'])
    for (const program of programs)
      expect(podOf(program).metadata.labels).toMatchObject(closed?.spec.podSelector.matchLabels ?? {})
    expect(rules.filter(({ to, ports }) => !to?.length || !ports?.length)).toEqual([])
  })

  /** Whether a rule allows egress to an address outside the cluster. */
  const lets = ({ ipBlock }: Peer, address: string) => {
    if (!ipBlock) return false
    const isWithin = (cidr: string) => {
      const [network = '', prefix] = cidr.split('/')
      const list = new BlockList()
      list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
      return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
    }
    return isWithin(ipBlock.cidr) && !(ipBlock.except ?? []).some(isWithin)
  }
  const reached = (address: string) => rules.filter(({ to }) => to.some((peer) => lets(peer, address)))

  test.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '2606:4700::1'])(
    'the network policies allow egress to an origin at %s, on its port only',
    (address) => {
      const { origin } = readConfig('worker', environmentOf(containerOf('worker')))
      expect(reached(address).flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([origin.port])
    },
  )

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    'fe80::1',
    'fc00::1',
    '2001:db8::1',
  ])('the network policies deny egress to %s', (address) => {
    expect(reached(address)).toEqual([])
  })
})
