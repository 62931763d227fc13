import { globSync, readlinkSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { documentsOf, manifest, textOf } from '../../support/documents/manifests.ts'

type Values = { [name: string]: Values | unknown }

const [values] = documentsOf<Values>('deploy/helm/values.yaml')
const [chart] = documentsOf<Record<string, string>>('deploy/helm/Chart.yaml')
const [kustomization] = documentsOf<{ resources: string[]; images: Record<string, string>[] }>(
  'deploy/kubernetes/kustomization.yaml',
)
const templates = globSync('deploy/helm/templates/*').map(textOf).join('\n')
const at = (path: string) => path.split('.').reduce<unknown>((value, name) => (value as Values)[name], values)

test('the chart is made of the manifests of the kustomization, without a copy', () => {
  for (const name of ['kubernetes', 'grafana', 'prometheus-rules.yaml']) {
    expect(readlinkSync(`deploy/helm/${name}`)).toBe(`../${name}`)
  }
  const ignored = textOf('deploy/helm/.helmignore').trim().split('\n')
  const taken = globSync('kubernetes/*.yaml', { cwd: 'deploy' }).filter((file) => !ignored.includes(file))
  expect(taken.sort()).toEqual(kustomization?.resources.map((file) => `kubernetes/${file}`).sort())
})

test('chart, kustomization and package.json have the same version', () => {
  const { version, description } = JSON.parse(textOf('package.json'))
  expect(chart).toMatchObject({ version, appVersion: version, description })
  expect(kustomization?.images).toEqual([
    { name: 'graph-packets', newName: at('image.repository'), newTag: at('image.tag') || version },
  ])
})

describe('the values', () => {
  const schema = JSON.parse(textOf('deploy/helm/values.schema.json'))
  const isValid = new Ajv().compile(schema)

  test('the values of the chart satisfy their schema', () => {
    expect([isValid(values), isValid.errors]).toEqual([true, null])
  })

  test.each([
    ['a name that no template knows', { api: { replica: 3 } }],
    ['a setting that is no string', { settings: { STOP_GRACE_SECONDS: 60 } }],
    ['a digest that is none', { image: { digest: 'latest' } }],
    ['an unknown way to scale', { worker: { scaling: { by: 'cron' } } }],
    ['a patch of no object', { patches: { Deployment: {} } }],
    ['an address with a password', { redis: { address: 'redis://:secret@redis:6379' } }],
  ])('the values of the chart may not have %s', (_what, given) => {
    expect(isValid({ ...values, ...given })).toBe(false)
  })

  test('the values of the chart are by default what the manifests say', () => {
    const { triggers, minReplicaCount, maxReplicaCount } = manifest('ScaledObject', 'packets-worker')
      .spec as unknown as Values & { triggers: { metadata: Values }[] }
    expect(at('api.replicas')).toBe((manifest('Deployment', 'packets-api').spec as unknown as Values).replicas)
    expect([at('worker.scaling.minReplicas'), at('worker.scaling.maxReplicas')]).toEqual([
      minReplicaCount,
      maxReplicaCount,
    ])
    for (const { metadata } of triggers) {
      expect(metadata).toMatchObject({ address: at('redis.address'), databaseIndex: at('redis.databaseIndex') })
    }
    expect(at('existingSecrets.shared')).toBe(manifest('Secret', 'packets-secrets').metadata.name)
    expect(at('existingSecrets.api')).toBe(manifest('Secret', 'packets-api-secrets').metadata.name)
  })

  test('the values of the chart are all in the schema and in the templates, and the templates know no other', () => {
    expect(Object.keys(schema.properties).sort()).toEqual(['global', ...Object.keys(values ?? {})].sort())
    const used = [...templates.matchAll(/(?:Values|\$values)\.([a-z][\w.]*)/g)].map(([, path]) => path as string)
    expect(used.filter((path) => at(path) === undefined)).toEqual([])
    const toggled = [...(/range tuple (.*) -/.exec(templates)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(([, name]) => name)
    const tops = new Set([...used.map((path) => path.split('.')[0]), ...toggled])
    expect(Object.keys(values ?? {}).filter((name) => !tops.has(name))).toEqual([])
  })
})

test('what the templates look for by name is in the manifests', () => {
  const { data } = manifest('ConfigMap', 'packets-settings')
  const settings = [...templates.matchAll(/\b([A-Z]+_[A-Z_]+)\b/g)].map(([, name]) => name as string)
  expect(settings.length).toBeGreaterThan(2)
  expect(settings.filter((name) => !(name in (data ?? {})))).toEqual([])
  expect(templates).toContain('eq .metadata.name "packets-settings"')
  expect(templates).toContain('eq .metadata.name "packets-scrapes"')
  expect(manifest('NetworkPolicy', 'packets-scrapes').spec.ingress?.length).toBe(1)
  for (const program of ['api', 'worker']) {
    const secrets = manifest('Deployment', `packets-${program}`).spec.template.spec.containers.flatMap(({ env }) =>
      env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []),
    )
    expect(secrets.filter((name) => !templates.includes(`"${name}" $values.existingSecrets.`))).toEqual([])
  }
})
