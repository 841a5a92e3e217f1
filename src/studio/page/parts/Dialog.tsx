/** A dialog over the page. Escape and a click outside close it. Focuses its first field, else its close button. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export const DialogBox = ({ title, onClose, children }: Props) => {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    box.current?.showModal()
    box.current?.querySelector<HTMLElement>("form :is(input, select, textarea, button), .choices button")?.focus()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by itself.
    <dialog
      ref={box}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) box.current?.close()
      }}
    >
      <div class="inside">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" onClick={() => box.current?.close()} aria-label="Close">
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
