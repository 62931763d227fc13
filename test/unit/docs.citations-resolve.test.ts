import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { citationsIn } from '../support/documents/citations.ts'
import { anchorsOf, relativeLinksOf } from '../support/documents/documents.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = [...globSync('docs/**/*.md', { cwd: root }), 'README.md']
const anchors = new Set(documents.flatMap((file) => anchorsOf(read(file)).map((anchor) => `${file}#${anchor}`)))
const own = /\/(documents|citations)\.ts$|\/docs\.citations-resolve\.test\.ts$/
const code = globSync('{api,worker,packet,wire,shared,doctor,client,deploy,test}/**/*.{ts,mjs,yaml,sh}', {
  cwd: root,
}).filter((file) => !own.test(file))

describe('a citation is parsed as', () => {
  const targetsOf = (text: string) => citationsIn(text, { isTest: false }).map(({ target }) => target)
  const inContract = (...places: string[]) => places.map((anchor) => `docs/contract.md#${anchor}`)
  const inSpecification = (...places: string[]) => places.map((anchor) => `docs/specification.md#${anchor}`)

  test.each([
    ['/** Contract 9: only the digest. */', inContract('9')],
    ['(contract 4.1, 9).', inContract('4.1', '9')],
    ['Contract 4.8, 4.11 and 5. A relationship', inContract('4.8', '4.11', '5')],
    ['contract 4.7, 4.13 to 4.15, 4.17. */', inContract('4.7', '4.13', '4.14', '4.15', '4.17')],
    ['Contract 7, Jobs: 200 when it is cancelled', inContract('7-jobs')],
    ['// Contract 5,\n  // order independence.', inContract('5-order-independence')],
    ['Contract 4.2, 4.9 and `onUnpublishable`.', inContract('4.2', '4.9', '4-onunpublishable')],
  ])('a citation is parsed as places of the contract: %j', (text, expected) => {
    expect(targetsOf(text)).toEqual(expected)
  })

  test.each([
    ['/** Seed, Publish #3; */', inSpecification('publish-3')],
    ['Seed, #9.', inSpecification('publish-9')],
    ['Seed, Authentication 1 and 2. */', inSpecification('authentication-1', 'authentication-2')],
    ['(seed, `toLayer`)', inSpecification('tolayer')],
    [' * without a list. Seed,\n * Stale-relationship cleanup; see', inSpecification('stale-relationship-cleanup')],
    [
      'seed, Data set requirements, cases 1 to 3.',
      inSpecification('data-set-requirements', 'case-1', 'case-2', 'case-3'),
    ],
  ])('a citation is parsed as places of the specification: %j', (text, expected) => {
    expect(targetsOf(text)).toEqual(expected)
  })

  test.each(['additive to the seed.', 'as the contract says'])(
    'a citation is unresolvable if it is too vague: %j',
    (text) => {
      expect(targetsOf(text)).toEqual([null])
    },
  )

  test('a citation is parsed with its line number', () => {
    expect(citationsIn('one\n/**\n * Contract 4.11.\n */', { isTest: false })).toMatchObject([{ line: 3 }])
  })
})

test('every citation in the code resolves to an anchor of the specification or the contract', () => {
  const all = [...code, 'README.md'].flatMap((file) =>
    citationsIn(read(file), { isTest: file.startsWith('test/') || file === 'README.md' }).map((citation) => ({
      file,
      ...citation,
    })),
  )
  expect(all.length).toBeGreaterThan(150)
  const lost = all.filter(({ target }) => target === null || !anchors.has(target))
  expect(
    lost.map(({ file, line, cited, target }) => `${file}:${line}: "${cited}" -> ${target ?? 'too vague'}`),
  ).toEqual([])
})

test('every relative link in the documents resolves to a file, and to an anchor in it', () => {
  const links = documents.flatMap((file) => relativeLinksOf(read(file)).map((link) => ({ file, ...link })))
  const lost = links.filter(({ file, path, anchor }) => {
    const target = path === '' ? file : normalize(join(file, '..', path))
    return !existsSync(join(root, target)) || (anchor !== '' && !anchors.has(`${target}#${anchor}`))
  })
  expect(links.length).toBeGreaterThan(30)
  expect(lost.map(({ file, line, path, anchor }) => `${file}:${line}: ${path}#${anchor}`)).toEqual([])
})

test('the anchors of a document are unique', () => {
  const named = globSync('docs/**/*.md', { cwd: root }).flatMap((file) =>
    anchorsOf(read(file)).map((anchor) => `${file}#${anchor}`),
  )
  expect(named.filter((anchor, index) => named.indexOf(anchor) !== index)).toEqual([])
})
