import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { printableLine } from '../../client/context.ts'
import { Name } from './pieces.tsx'

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
    document.title = `${printableLine(title)} · Graph packets`
  }, [title])
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [about])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        <Name text={title} />
      </h1>
      {children}
    </>
  )
}

/** @returns a function that says whether the user is still on the page: who has left is not led elsewhere. */
export function useHere(): () => boolean {
  const isHere = useRef(true)
  useEffect(() => {
    const leave = () => {
      isHere.current = false
    }
    return leave
  }, [])
  return () => isHere.current
}
