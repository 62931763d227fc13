import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface FilterProps {
  label: string
  /** What the list is filtered by now. */
  text: string
  /** What the button says. */
  action: string
  filter: (text: string) => void
  /** Further fields, given the text that is in the field now. */
  children?: (text: string) => ComponentChildren
}

/** A form that filters a list by a text. */
export function Filter({ label, text: first, action, filter, children }: FilterProps) {
  const [text, setText] = useState(first)
  useEffect(() => setText(first), [first])
  return (
    <search>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault()
          filter(text)
        }}
      >
        <label>
          {label}
          <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        {children?.(text)}
        <button type="submit">{action}</button>
      </form>
    </search>
  )
}
