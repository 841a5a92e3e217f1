/** The box, which says how it interprets its text (`model/commands`). */
import { signal } from "@preact/signals"
import { useRef, useState } from "preact/hooks"
import { isVisible, visible } from "../../../values/PlainText.ts"
import { meaningOf, suggestionsFor } from "../model/commands.ts"
import type { KeyTargets } from "../model/keys.ts"
import { useStudio } from "./context.ts"

/** Set this to put a text into the box, with the cursor at its end. */
export const boxText = signal<{ readonly text: string } | null>(null)

export const CommandBox = ({ page }: { readonly page: KeyTargets }) => {
  const studio = useStudio()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState("")
  const [isOpen, open] = useState(false)
  const given = boxText.value
  if (given !== null && input.current !== null) {
    boxText.value = null
    const element = input.current
    setText(given.text)
    queueMicrotask(() => {
      element.focus()
      element.setSelectionRange(given.text.length, given.text.length)
    })
  }
  const meaning = meaningOf(text)
  const run = async () => {
    if (meaning === null) return
    setText("")
    input.current?.blur()
    studio.notice.value = null
    try {
      await meaning.run(studio, page)
    } catch (cause) {
      studio.fail(cause)
    }
  }
  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <input
        ref={input}
        value={text}
        aria-label="Go to a position, an event's id, a time, a task, a path, run to a predicate, or give a command"
        title="A position, an event's id, a time, a task, a path, a predicate, or a command (g)"
        placeholder="go to …"
        list="box-names"
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          setText("")
          event.currentTarget.blur()
        }}
      />
      <datalist id="box-names">
        {/* A browser shows the value itself if there is no label. */}
        {(isOpen ? suggestionsFor(text, studio) : []).map(({ text: value, says }) => (
          <option key={value} value={value} label={says || (isVisible(value) ? undefined : visible(value))} />
        ))}
      </datalist>
      {isOpen && meaning !== null ? (
        <p class="meaning" role="status">
          {meaning.says}
        </p>
      ) : null}
    </form>
  )
}
