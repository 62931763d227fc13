import { useState } from 'preact/hooks'
import { number } from '../../client/format.ts'
import { path } from '../../client/service/requests.ts'
import { firstPairs } from '../../client/target/first-pairs.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { type Asked, useAsked } from '../data.ts'
import type { Session } from '../session.ts'
import { Shown } from '../ui/shown.tsx'

/** What is read of a part: the first of these characters, and of its pairs. */
const [readCharacters, readPairs] = [1_000_000, 5_000]
/** Examples of one statement, and different statements. */
const [examplesOfOne, mostStatements] = [10, 50]

interface Example {
  statement: string
  count: number
  parameters: string[]
}

/** The first statements of a part, with parameters: values of properties are on the page only while the user looks. */
export function Statements({ manifest, org, session }: { manifest: PacketManifest; org: string; session: Session }) {
  const [isOpen, setOpen] = useState(false)
  const [part, setPart] = useState(0)
  const name = manifest.parts[part]?.fileName
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Statements, with values of properties</summary>
      {isOpen && manifest.parts.length > 1 && (
        <label>
          Part
          <select value={part} onChange={({ currentTarget }) => setPart(Number(currentTarget.value))}>
            {manifest.parts.map(({ fileName, pairs }, at) => (
              <option key={fileName} value={at}>
                {number.format(at + 1)}: {number.format(pairs)} pairs
              </option>
            ))}
          </select>
        </label>
      )}
      {isOpen && name !== undefined && <OfPart key={name} org={org} name={name} session={session} />}
    </details>
  )
}

function OfPart({ org, name, session: { client, who } }: { org: string; name: string; session: Session }) {
  const asked: Asked<Example[]> = useAsked(['statements', who.name, org, name], async (signal) => {
    const response = await client.open(path`/1.0/publish/${org}/${name}`, signal)
    return examplesIn(await beginningOf(response))
  })
  return (
    <Shown of={asked}>
      {(examples) => (
        <>
          {examples.length === 0 && <p>The part has no statements.</p>}
          {examples.map(({ statement, count, parameters }) => (
            <section key={statement}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys */}
              <pre tabIndex={0}>{statement}</pre>
              <p class="quiet">
                {number.format(count)} of those that were read; parameters of the first{' '}
                {number.format(parameters.length)}:
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys */}
              <pre tabIndex={0}>{parameters.join('\n')}</pre>
            </section>
          ))}
        </>
      )}
    </Shown>
  )
}

/** The first characters of an answer, whose rest is not fetched. */
async function beginningOf(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < readCharacters) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel().catch(() => {})
  return text
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
const keepingNumbers: Reviver = (_key, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value)

/** Groups pairs by their statements. Numbers stay as they are: in a packet `1` and `1.0` are different values. */
function examplesIn(text: string): Example[] {
  const examples = new Map<string, Example>()
  for (const pair of firstPairs(text, readPairs)) {
    const { statement, parameters } = JSON.parse(pair, keepingNumbers as never) as Record<string, unknown>
    const of = String(statement)
    const example = examples.get(of) ?? { statement: of, count: 0, parameters: [] }
    if (examples.size === mostStatements && !examples.has(of)) continue
    examples.set(of, example)
    example.count++
    if (example.parameters.length < examplesOfOne) example.parameters.push(JSON.stringify(parameters))
  }
  return [...examples.values()]
}
