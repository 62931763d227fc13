import { useEffect, useRef, useState } from 'preact/hooks'
import { allowed } from '../session.ts'

const settings = () => allowed(() => localStorage)
const offKey = 'packets-keys-off'
// After `g`, the second key must come soon.
const secondKeyMs = 1_500

/** Keys: `/` goes to the search field, `g` and a letter to a page, `?` shows them all. The user may switch them off. */
export function useKeys(places: Record<string, string>, route: (url: string) => void) {
  const [isShown, show] = useState(false)
  const [isOff, setOff] = useState(settings()?.getItem(offKey) != null)
  useEffect(() => {
    if (isOff) return
    let startedAt = 0
    function press(event: KeyboardEvent): void {
      const { key, target, ctrlKey, metaKey, altKey } = event
      const isTyping = target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null
      if (isTyping || ctrlKey || metaKey || altKey) return
      const place = event.timeStamp - startedAt < secondKeyMs ? places[key] : undefined
      startedAt = key === 'g' ? event.timeStamp : 0
      if (place !== undefined) route(place)
      else if (key === '?') show(true)
      else if (key === '/') {
        const field = document.querySelector<HTMLInputElement>('main input[type=search]')
        if (field === null) return
        event.preventDefault()
        field.focus()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOff, places, route])
  function turn(isNowOff: boolean): void {
    if (isNowOff) settings()?.setItem(offKey, '1')
    else settings()?.removeItem(offKey)
    setOff(isNowOff)
  }
  return { isShown, show, isOff, turn, places }
}

export function KeysHelp({ isShown, show, isOff, turn, places }: ReturnType<typeof useKeys>) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isShown) dialog.current?.showModal()
  }, [isShown])
  return (
    <footer>
      <button type="button" class="plain" onClick={() => show(true)}>
        Keyboard shortcuts
      </button>
      {isShown && (
        <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => show(false)}>
          <h2 id="keys-title">Keyboard shortcuts</h2>
          <dl class="facts">
            {[
              ['/', 'goes to the search field'],
              ...Object.entries(places).map(([key, place]) => [`g ${key}`, `goes to ${place.split('/').at(-1)}`]),
              ['?', 'shows the shortcuts'],
            ].map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <label class="choice">
            <input type="checkbox" checked={isOff} onChange={({ currentTarget }) => turn(currentTarget.checked)} />
            Switch them off
          </label>
          <div class="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
        </dialog>
      )}
    </footer>
  )
}
