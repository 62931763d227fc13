import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = globSync('{api,worker,doctor,client,dev,packet,wire,shared,test}/**/*.{ts,mjs}', { cwd: root })
const product = files.filter((file) => !/^(test|dev)\//.test(file))
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const lines = (file: string) => text(file).trimEnd().split('\n').length

/** A file's imports from the project. Type-only imports count: a reader depends on them too. */
function importsOf(file: string): string[] {
  const found = text(file).matchAll(/^(?:import|export) [^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gms)
  return [...found].map(([, from, bare]) => relative(root, join(root, dirname(file), (from ?? bare) as string)))
}

const importsAtRunTime = (file: string) =>
  [...text(file).matchAll(/^(?:import|export) (?!type )[^'"]*?from '(\.[^']+)'/gms)].map(([, from]) =>
    relative(root, join(root, dirname(file), from as string)),
  )

/** Which folders of shared/ a folder may import from, besides itself and packet/. */
const foundations = ['config', 'errors', 'validation', 'observability', 'lifecycle']
const sharedRules: Record<string, string[]> = {
  queue: ['jobs', 'request', 'redis', 'store', 'origin', ...foundations],
  jobs: ['publish', 'request', 'redis', 'storage', 'store', ...foundations],
  publish: ['read', 'request', 'storage', 'origin', ...foundations],
  read: ['request', 'origin', 'errors'],
  request: ['storage', 'origin', ...foundations],
  models: ['auth', 'origin', ...foundations],
  storage: ['store', ...foundations],
  redis: foundations,
  store: foundations,
  origin: foundations,
  auth: foundations,
  config: ['errors', 'validation'],
  errors: [],
  validation: ['errors'],
  observability: foundations,
  lifecycle: foundations,
}

/** The stages of a publish, in the order in which they may import. */
const stages = ['pairs', 'report', 'state', 'write', 'select']
/** The stages of a packet that needs no origin. */
const stagesOfDirect = ['pairs']
const stageOf = (file: string) => /^shared\/publish\/([^/]+)\//.exec(file)?.[1] ?? ''

describe('imports are unidirectional', () => {
  test('programs import from shared, wire and packet, never from each other; wire imports from packet only, and packet from nothing', () => {
    const wrong = product.flatMap((file) => {
      const home = file.split('/')[0] as string
      const allowed = { packet: ['packet'], wire: ['wire', 'packet'] }[home] ?? [home, 'packet', 'wire', 'shared']
      return importsOf(file)
        .filter((target) => !allowed.includes(target.split('/')[0] as string))
        .map((target) => `${file} -> ${target}`)
    })
    expect(wrong).toEqual([])
  })

  test('folders of shared import only from those below them', () => {
    const wrong = product
      .filter((file) => file.startsWith('shared/'))
      .flatMap((file) => {
        const folder = file.split('/')[1] as string
        const allowed = [folder, ...(sharedRules[folder] ?? [])]
        return importsOf(file)
          .filter((target) => target.startsWith('shared/') && !allowed.includes(target.split('/')[1] as string))
          .map((target) => `${file} -> ${target}`)
      })
    expect(wrong).toEqual([])
  })

  test('a stage of a publish imports only from earlier stages', () => {
    const wrong = product
      .filter((file) => stageOf(file) !== '')
      .flatMap((file) => {
        const stage = stageOf(file)
        const earlier = stage === 'direct' ? stagesOfDirect : stages.slice(0, stages.indexOf(stage))
        return importsOf(file)
          .filter((target) => target.startsWith('shared/publish/') && ![stage, ...earlier].includes(stageOf(target)))
          .map((target) => `${file} -> ${target}`)
      })
    expect(wrong).toEqual([])
  })

  test('development tools import only from packet, wire, shared and the client, tests from anywhere', () => {
    const wrong = files
      .filter((file) => file.startsWith('dev/'))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => !/^(dev|packet|wire|shared|client)\//.test(target))
          .map((target) => `${file} -> ${target}`),
      )
    expect(wrong).toEqual([])
  })

  test.each([
    ['of the product, types included', product, importsOf],
    ['of any file at run time', files, importsAtRunTime],
  ])('there are no import cycles %s', (_which, from, imports) => {
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      if (path.includes(file) || done.has(file)) return
      for (const target of imports(file)) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of from) visit(file, [])
    expect(cycles).toEqual([])
  })
})

test('the client reaches no code of the service at run time, only the packet format and what goes over HTTP', () => {
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    importsAtRunTime(file).forEach(visit)
  }
  product.filter((file) => file.startsWith('client/')).forEach(visit)
  expect([...reached].filter((file) => !/^(client|packet|wire)\//.test(file))).toEqual([])
})

describe('files are small enough to understand at once', () => {
  test('no file of the product has more than 400 lines', () => {
    const all = [...product, ...globSync('console/**/*.{ts,tsx}', { cwd: root, exclude: ['console/dist/**'] })]
    expect(all.filter((file) => lines(file) > 400)).toEqual([])
  })

  test.each([
    ['a program', /^(api|worker|doctor|client)\/main\.ts$/, 25],
    ['an endpoint', /^api\/(publish|jobs|manager)\//, 80],
    ['a test', /\.test\.ts$/, 250],
  ])('%s is short', (_name, pattern, limit) => {
    const long = files.filter((file) => pattern.test(file) && lines(file) > limit)
    expect(long.map((file) => `${file}: ${lines(file)}`)).toEqual([])
  })
})

test('no object is spread where it is written, only to save a line', () => {
  const spread = [...files, ...globSync('console/**/*.{ts,tsx}', { cwd: root })].filter(
    (file) => !file.includes('/dist/'),
  )
  expect(spread.filter((file) => /^\s*(\.{3}\{|.*[{,] \.{3}\{)/m.test(text(file)))).toEqual([])
})

test('only the tests of test/endurance have long forms or options, and no other test imports from there', () => {
  const others = files.filter((file) => file.startsWith('test/') && !file.startsWith('test/endurance/'))
  const asksForMore = /inject\('(isLong|asked|soak)'\)/
  expect(others.filter((file) => asksForMore.test(text(file)))).toEqual([])
  const imports = (file: string) => importsOf(file).some((target) => target.startsWith('test/endurance/'))
  expect(others.filter(imports)).toEqual([])
})

test('no two exported types of the packet format, the wire and the service have one name', () => {
  const shared = product.filter((file) => /^(packet|wire|shared)\//.test(file))
  const names = shared.flatMap((file) =>
    [...text(file).matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name),
  )
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('the environment is read in one place by the service, and in one by the client', () => {
  const readers = ['client/environment.ts', 'shared/config/config.ts']
  expect(product.filter((file) => text(file).includes('process.env')).sort()).toEqual(readers)
})

test('there are no catch-all files or folders', () => {
  const names = /(^|\/)(utils?|helpers?|common|misc|index\.ts|types\.ts)(\/|\.ts$|$)/
  expect(files.filter((file) => names.test(file))).toEqual([])
})
