import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { printableLine } from '../../client/context.ts'
import { Problem } from './shown.tsx'

interface Props {
  /** The words of the button, and of the dialog's heading. */
  title: string
  children: ComponentChildren
  /** The words of the button that changes nothing. */
  refusal: string
  isHarmless?: boolean
  /** What must be typed first; absent: nothing. */
  typed?: string
  act: () => Promise<unknown>
}

/** A button that asks before it acts. */
export function Confirm({ title, children, refusal, isHarmless = false, typed, act }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState<Error | null>(null)
  const [isActing, setActing] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
  }, [isOpen])
  function open(): void {
    setText('')
    setError(null)
    setOpen(true)
  }
  const isTyped = typed === undefined || [typed, printableLine(typed)].includes(text)
  function close(): void {
    setOpen(false)
    if (!isActing) setError(null)
  }
  const look = isHarmless ? '' : 'danger'
  async function confirm(event: Event): Promise<void> {
    event.preventDefault()
    setActing(true)
    setError(null)
    try {
      await act()
      dialog.current?.close()
      // The button may be gone.
      document.querySelector<HTMLElement>('h1')?.focus()
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setActing(false)
    }
  }
  // The browser may close the dialog in spite of this, and then the page shows what went wrong.
  const stayWhileActing = (event: Event) => isActing && event.preventDefault()
  return (
    <>
      <button type="button" class={look} onClick={open}>
        {title}
      </button>
      {!isOpen && error && <Problem error={error} />}
      {isOpen && (
        <dialog ref={dialog} aria-labelledby="confirm-title" onCancel={stayWhileActing} onClose={close}>
          <form onSubmit={confirm}>
            <h2 id="confirm-title">{title}</h2>
            {children}
            {typed !== undefined && (
              <label>
                <span>
                  Type <code>{printableLine(typed)}</code> to confirm
                </span>
                <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} autocomplete="off" />
              </label>
            )}
            {error && <Problem error={error} />}
            {isActing && <p role="status">The service has not answered yet.</p>}
            <div class="actions">
              <button type="button" disabled={isActing} onClick={() => dialog.current?.close()}>
                {refusal}
              </button>
              <button type="submit" class={look} disabled={isActing || !isTyped}>
                {title}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  )
}
