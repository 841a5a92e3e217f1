/**
 * A completion list at the caret, opened by Ctrl+Space or by typing. Arrows choose, Enter and Tab insert, Escape
 * closes.
 */
import type { RefObject } from "preact"
import { useState } from "preact/hooks"
import type { JsonObject } from "../../../values/Json.ts"
import { type Completion, completionAt, type Option } from "./completion.ts"

const SHOWN = 8

const LIST = "completions"
const idOf = (index: number): string => `completion-${index}`

interface Opened extends Completion {
  readonly chosen: number
}

export interface Completing {
  readonly opened: Opened | null
  /** The status text, also if nothing fits. */
  readonly says: string
  readonly described: {
    readonly "aria-autocomplete"?: "list"
    readonly "aria-controls"?: string
    readonly "aria-activedescendant"?: string
  }
  readonly onTyped: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly close: () => void
  readonly write: (option: Option) => void
}

const HINT = "Ctrl+Space shows completions at the caret."

/** @param schema null completes nothing */
export const useCompletion = (area: RefObject<HTMLTextAreaElement>, schema: JsonObject | null): Completing => {
  const [opened, open] = useState<Opened | null>(null)
  const [foundNothing, setFoundNothing] = useState(false)
  const find = (): Completion | null => {
    const element = area.current
    if (element === null || schema === null || element.selectionStart !== element.selectionEnd) return null
    return completionAt(schema, element.value, element.selectionStart)
  }
  const show = (completion: Completion | null) =>
    open(completion === null || completion.options.length === 0 ? null : { ...completion, chosen: 0 })
  /** While typing, hide a list that adds nothing or contains everything. */
  const onTyped = () => {
    setFoundNothing(false)
    const found = find()
    const isDone = found?.options.some(({ name }) => name.toLowerCase() === found.begun)
    show(found === null || found.begun === "" || isDone ? null : found)
  }
  const ask = () => {
    const found = find()
    setFoundNothing(found === null || found.options.length === 0)
    show(found)
  }
  const write = ({ text }: Option) => {
    const element = area.current
    if (element === null || opened === null) return
    element.focus()
    element.setSelectionRange(opened.from, opened.to)
    // Insert so that it can be undone, with a fallback for other browsers.
    if (!document.execCommand("insertText", false, text)) {
      element.setRangeText(text, opened.from, opened.to, "end")
      element.dispatchEvent(new InputEvent("input", { bubbles: true }))
    }
    // After a key, offer the words of its value.
    const next = text.endsWith(": ") ? find() : null
    show(next?.options.every(({ text: word }) => !word.endsWith(": ")) ? next : null)
  }
  const close = () => {
    setFoundNothing(false)
    open(null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === " " && event.ctrlKey && schema !== null) {
      event.preventDefault()
      ask()
      return
    }
    if (opened === null) return MOVING.test(event.key) ? close() : undefined
    const { options, chosen } = opened
    // With Shift, arrows select text.
    const by = event.shiftKey ? undefined : STEPS.get(event.key)
    const option = options[chosen]
    if (by !== undefined) {
      event.preventDefault()
      open({ ...opened, chosen: (chosen + by + options.length) % options.length })
    } else if (WRITING.has(event.key) && !event.shiftKey && option !== undefined) {
      event.preventDefault()
      write(option)
    } else if (event.key === "Escape") {
      // Otherwise Escape would also close the dialog.
      event.preventDefault()
      event.stopPropagation()
      close()
    } else if (MOVING.test(event.key)) close()
  }
  return {
    opened,
    onTyped,
    onKeyDown,
    write,
    close,
    says: schema === null ? "" : foundNothing ? "The schema has no completions at the caret." : HINT,
    described: {
      ...(schema === null ? {} : { "aria-autocomplete": "list" }),
      ...(opened === null ? {} : { "aria-controls": LIST, "aria-activedescendant": idOf(opened.chosen) }),
    },
  }
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
])

const WRITING: ReadonlySet<string> = new Set(["Enter", "Tab"])

/** Keys that move the caret or extend the selection. */
const MOVING = /^(?:Arrow(?:Left|Right|Up|Down)|Home|End|PageUp|PageDown)$/

interface Props {
  readonly completing: Completing
  /** The top of the caret's line in pixels, and the left edge of the completed text. */
  readonly top: number
  readonly left: string
  readonly isAbove: boolean
}

export const CompletionList = ({ completing: { opened, write }, top, left, isAbove }: Props) => {
  if (opened === null) return null
  const { options, chosen } = opened
  const first = Math.max(0, Math.min(chosen - SHOWN / 2, options.length - SHOWN))
  return (
    <div
      id={LIST}
      class={isAbove ? "completions above" : "completions"}
      role="listbox"
      aria-label="Completions"
      style={{ top: `${top}px`, left }}
    >
      {options.slice(first, first + SHOWN).map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text area, which keeps the focus.
        <div
          key={option.name}
          id={idOf(first + index)}
          role="option"
          tabIndex={-1}
          aria-selected={first + index === chosen}
          aria-setsize={options.length}
          aria-posinset={first + index + 1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => write(option)}
        >
          <code>{option.name}</code> {option.isRequired ? <small class="needed">needed</small> : null}{" "}
          <small>{option.description}</small>
        </div>
      ))}
    </div>
  )
}
