import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let isFirst = true

interface Props {
  title: string
  /** What the page is about, if that changes while it stays open. */
  about?: string
  children: ComponentChildren
}

/** A page with its title, which gets the focus after a navigation. */
export function Page({ title, about, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Graph packets`
  }, [title])
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [about])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}
