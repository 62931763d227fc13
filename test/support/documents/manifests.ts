import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../../..')

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The documents of a YAML file. @throws Error on the first that does not parse or repeats a key. */
export function documentsOf<T>(path: string): T[] {
  // `<<` is not part of YAML 1.2, but Compose supports it.
  return parseAllDocuments(textOf(path), { merge: true }).map((document) => {
    if (document.errors[0]) throw new Error(`${path}: ${document.errors[0].message}`)
    return document.toJS() as T
  })
}

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
}

interface Probe {
  httpGet: { path: string; port: string }
  timeoutSeconds: number
  periodSeconds: number
  failureThreshold?: number
}

export interface Container {
  args: string[]
  ports: { name: string; containerPort: number }[]
  env: Variable[]
  envFrom: { configMapRef: { name: string } }[]
  startupProbe: Probe
  readinessProbe: Probe
  livenessProbe: Probe
  lifecycle?: { preStop: { exec: { command: string[] } } }
  securityContext: object
  resources: { requests: Record<string, string>; limits: Record<string, string> }
}

export interface Peer {
  ipBlock?: { cidr: string; except?: string[] }
  namespaceSelector?: object
  podSelector?: object
}

/** The part of a Kubernetes object that the tests read. */
export interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  stringData?: Record<string, string>
  spec: {
    selector: { matchLabels: Record<string, string> } & Record<string, unknown>
    ports: { targetPort: string }[]
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> }
      spec: { terminationGracePeriodSeconds: number; securityContext: object; containers: Container[] }
    }
    podSelector: { matchLabels: Record<string, string> }
    policyTypes: string[]
    egress?: { to: Peer[]; ports: { port: number; protocol: string }[] }[]
    ingress?: { from?: Peer[]; ports: { port: number; protocol: string }[] }[]
    advanced: { scalingModifiers: { formula: string; target: string; metricType: string } }
    triggers: { type: string; name: string; metadata: Record<string, string> }[]
  }
}

const folder = 'deploy/kubernetes'

export const manifests: readonly Manifest[] = readdirSync(join(root, folder))
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) => documentsOf<Manifest>(join(folder, file)))

export function manifest(kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}

/** The environment of a Deployment's container. @throws Error on a reference that does not resolve. */
export function environmentOf({ env, envFrom }: Container): Record<string, string> {
  const shared = envFrom.map(({ configMapRef }) => manifest('ConfigMap', configMapRef.name).data ?? {})
  const own = env.flatMap(({ name, value, valueFrom }) => {
    if (valueFrom === undefined) return [[name, value as string]]
    const { name: secret, key, optional } = valueFrom.secretKeyRef
    const found = manifest('Secret', secret).stringData?.[key]
    if (found === undefined && optional) return []
    if (found === undefined) throw new Error(`${name}: the Secret ${secret} has no ${key}`)
    return [[name, found]]
  })
  return Object.assign({}, ...shared, Object.fromEntries(own))
}
