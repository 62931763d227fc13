import { useId, useState } from 'preact/hooks'
import { printableLine } from '../../client/context.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import { oneRequestIn } from './request-text.ts'

type Request = Record<string, unknown>

/** A field of a request as a form has it. `read`: null if only JSON can show the value. */
interface Field {
  title: string
  read(request: Request): string | null
  write(request: Request, value: string): Request
  /** By default it is one line. */
  form?: 'list' | 'choice'
  /** What the origin has for it. */
  offers?(names: OriginNames, request: Request): string[]
}

interface Props {
  /** The request, or a list of them, as JSON. */
  text: string
  /** What the origin has; null if it was not asked. */
  names: OriginNames | null
  change(text: string): void
}

/** The fields that most requests have, each of which changes the text of the request. */
export function PublishFields({ text, names, change }: Props) {
  const request = oneRequestIn(text)
  return (
    <fieldset class="stack" disabled={request === null}>
      <legend>The usual fields</legend>
      {request === null && <p class="quiet">They are for a text that is JSON, with one request.</p>}
      {fields.map((field) => (
        <Input
          key={field.title}
          field={field}
          request={request ?? {}}
          offered={(names && field.offers?.(names, request ?? {})) ?? []}
          change={(value) => change(JSON.stringify(field.write(request ?? {}, value), null, 2))}
        />
      ))}
    </fieldset>
  )
}

interface InputProps {
  field: Field
  request: Request
  offered: readonly string[]
  change(value: string): void
}

function Input({ field, request, offered, change }: InputProps) {
  const list = useId()
  // A line that is still empty is in no request.
  const [typed, setTyped] = useState('')
  const value = field.read(request)
  const own = {
    disabled: value === null,
    value: linesOf(typed).join('\n') === value ? typed : (value ?? ''),
    onInput({ currentTarget }: { currentTarget: { value: string } }) {
      setTyped(currentTarget.value)
      change(currentTarget.value)
    },
  }
  if (field.form === 'choice')
    return (
      <label class="choice">
        <input
          type="checkbox"
          disabled={value === null}
          checked={value === chosen}
          onChange={({ currentTarget }) => change(currentTarget.checked ? chosen : '')}
        />
        {field.title}
      </label>
    )
  if (field.form === 'list')
    return (
      <>
        <label>
          {field.title}
          <textarea rows={3} spellcheck={false} {...own} />
        </label>
        {value !== null && <Add to={field.title} offered={offered} lines={linesOf(value)} change={change} />}
      </>
    )
  return (
    <label>
      {field.title}
      <input autocomplete="off" list={offered.length > 0 ? list : undefined} {...own} />
      {offered.length > 0 && (
        <datalist id={list}>
          {offered.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </label>
  )
}

interface AddProps {
  to: string
  offered: readonly string[]
  lines: readonly string[]
  change(value: string): void
}

/** A choice among the names of the origin that a list does not have. */
function Add({ to, offered, lines, change }: AddProps) {
  const others = offered.filter((name) => !lines.includes(name))
  if (others.length === 0) return null
  return (
    <select
      aria-label={`Add to: ${to}`}
      value=""
      onChange={({ currentTarget }) => {
        change([...lines, currentTarget.value].join('\n'))
        currentTarget.value = ''
      }}
    >
      <option value="">Add one that the origin has…</option>
      {others.map((name) => (
        <option key={name} value={name}>
          {printableLine(name)}
        </option>
      ))}
    </select>
  )
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** With a value, or without the field. */
function withField(request: Request, name: string, value: unknown): Request {
  const { [name]: _, ...others } = request
  return value === undefined ? others : { ...request, [name]: value }
}

const lineOf = (value: unknown): string | null =>
  value === undefined ? '' : typeof value === 'string' && !/[\r\n]/.test(value) ? value : null

const line = (title: string, name: string): Field => ({
  title,
  read: (request) => lineOf(request[name]),
  write: (request, value) => withField(request, name, value || undefined),
})

const chosen = 'true'

/** A field that is true or absent; false is shown as absent. */
const choice = (title: string, name: string): Field => ({
  title,
  form: 'choice',
  read: ({ [name]: value = false }) => (value === true ? chosen : value === false ? '' : null),
  write: (request, value) => withField(request, name, value === chosen || undefined),
})

const mappedIn = ({ mappedIndices: given = {} }: Request): Request | null =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Request) : null

const mapped = (title: string, name: string): Field => ({
  title,
  read(request) {
    const map = mappedIn(request)
    return map && lineOf(map[name])
  },
  write(request, value) {
    const map = withField(mappedIn(request) ?? {}, name, value || undefined)
    // A request with `select` may do without the map, but an empty one is refused.
    return withField(request, 'mappedIndices', Object.keys(map).length === 0 ? undefined : map)
  },
})

interface Elements {
  /** The line of an element; null or '' if only JSON can show it. */
  lineOf(element: unknown): string | null
  elementOf(line: string): unknown
}

const list = (title: string, name: string, elements: Elements = { lineOf, elementOf: (line) => line }): Field => ({
  title,
  form: 'list',
  read({ [name]: values = [] }) {
    if (!Array.isArray(values)) return null
    const lines = values.map(elements.lineOf)
    return lines.every((one) => one) ? lines.join('\n') : null
  },
  write(request, value) {
    const lines = linesOf(value)
    return withField(request, name, lines.length === 0 ? undefined : lines.map(elements.elementOf))
  },
})

/** Elements of `select` that have no condition. */
const labels: Elements = {
  lineOf(element) {
    if (typeof element !== 'object' || element === null || Object.keys(element).join() !== 'label') return null
    return lineOf((element as Request).label)
  },
  elementOf: (label) => ({ label }),
}

const isOneLine = (name: string) => lineOf(name) === name

/** The properties that constraints make unique for the chosen label, or for any while none is chosen. */
function idProperties({ identities }: OriginNames, request: Request): string[] {
  const label = mappedIn(request)?.DEFAULT_INDEX || null
  const fitting = (identities ?? []).filter((one) => label === null || one.label === label)
  return [...new Set(fitting.map(({ property }) => property))].filter(isOneLine)
}

const fields: readonly Field[] = [
  line('Address of the origin', 'dbUrl'),
  { ...mapped('Label of the nodes', 'DEFAULT_INDEX'), offers: ({ labels }) => labels.filter(isOneLine) },
  { ...mapped('Property that has their ids', 'DEFAULT_ID_FIELD'), offers: idProperties },
  list('Ids of the nodes, one a line', 'originIds'),
  {
    ...list('Or labels, of which all nodes are selected, one a line; * is every label', 'select', labels),
    offers: ({ labels }) => labels.filter(isOneLine),
  },
  {
    ...list('Types of relationships, one a line: TYPE, TYPE> or <TYPE', 'relationships'),
    offers: ({ relationshipTypes }) => relationshipTypes.filter(isOneLine),
  },
  line('Org', 'orgName'),
  line('Name of the packet', 'fileName'),
  choice('A later packet may be a delta of this one', 'asBase'),
  line('For a delta: the packet that the target has', 'base'),
  choice('Delete there what the base has and this selection lacks', 'deleteMissing'),
]
