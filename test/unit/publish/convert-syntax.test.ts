import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParameterSyntax, render } from '../../../packet/cypher/parameters.ts'
import { nodeUpsert } from '../../../packet/kinds/node-upsert.ts'
import { convertSyntax, convertText } from '../../../shared/publish/pairs/convert-syntax.ts'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    yield bytes.subarray(start, start + size)
    start += size
  }
}

const convert = (json: string, to: ParameterSyntax, sizes: readonly number[] = [7]) =>
  text(convertSyntax(cut(Buffer.from(json), sizes), to))

describe('a statement', () => {
  test.each([
    [
      'MERGE (n:`P` {`id`: {id}}) SET n = {`id`: {id}, `a`: date({a})}',
      'MERGE (n:`P` {`id`: $id}) SET n = {`id`: $id, `a`: date($a)}',
    ],
    ['SET r = {}', 'SET r = {}'],
    ['MATCH (n:`{id}` {`$x ``{y}`: {p_0}})', 'MATCH (n:`{id}` {`$x ``{y}`: $p_0})'],
  ])('a statement is converted outside quoted identifiers, in both directions: %s', (braces, dollar) => {
    expect(convertText(braces, 'dollar')).toBe(dollar)
    expect(convertText(dollar, 'braces')).toBe(braces)
    expect(convertText(dollar, 'dollar')).toBe(dollar)
  })

  test('a statement is converted exactly with any identifiers', () => {
    const name = fc.string({
      unit: fc.constantFrom('`', '{', '}', '$', 'a', '_', '"', ' ', 'é'),
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 4 }), (label, keys) => {
        const plain = { wrap: null, list: false }
        const fields = [...new Set(['k', ...keys])].map((key) => ({ key, value: plain }))
        const changes = { protectedKeys: [], added: [label], removed: [] }
        const { text: template } = nodeUpsert({ label, idProperty: 'k', id: plain }, fields, changes)
        expect(convertText(render(template, 'braces'), 'dollar')).toBe(render(template, 'dollar'))
        expect(convertText(render(template, 'dollar'), 'braces')).toBe(render(template, 'braces'))
      }),
    )
  })
})

describe('a part', () => {
  const pair =
    '{"statement":"SET n.`\\"{x}\\"` = {x}","parameters":{"statement":"{x}","x":{"statement":"{x}"},"n":[1.0,-0.0,9007199254740993]},"metadata":'
  const nested =
    '{"qa":{"nodes":{"statement":{"{x}":["{x}"]}}},"postback":{"statements":[{"statement":"{y}","parameters":{"y":"{y}"},"metadata":null}]}}'
  const part = `{"statements":[${pair}null},${pair}${nested}}]}`

  test('a part has only its statements converted, including those of the nested packet', async () => {
    const expected = part.replaceAll('"` = {x}"', '"` = $x"').replace('"statement":"{y}"', '"statement":"$y"')
    expect(expected).not.toBe(part)
    expect(await convert(part, 'dollar')).toBe(expected)
    expect(await convert(expected, 'braces')).toBe(part)
  })

  test('a part is converted the same with any fragmentation', async () => {
    const whole = await convert(part, 'dollar', [part.length])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
        expect(await convert(part, 'dollar', sizes)).toBe(whole)
      }),
    )
  })

  test('a part of any other JSON passes through unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        expect(await convert(json, 'dollar')).toBe(json)
      }),
    )
  })
})
