/** A list at the caret of what could be written there: by Ctrl+Space, or as one types; arrows choose, Enter and Tab write it, Escape closes it. */
import type { RefObject } from "preact"
import { useState } from "preact/hooks"
import type { JsonObject } from "../../../values/Json.ts"
import { type Completion, completionAt, type Option } from "./completion.ts"

/** Most options that are shown at once, around the chosen one. */
const SHOWN = 8

/** The identifiers of the list and of its options. */
const LIST = "completions"
const idOf = (index: number): string => `completion-${index}`

/** The list that is open. */
interface Opened extends Completion {
  readonly chosen: number
}

export interface Completing {
  readonly opened: Opened | null
  /** What is said of it, also where nothing fits. */
  readonly says: string
  /** What the text area says of the list. */
  readonly described: {
    readonly "aria-autocomplete"?: "list"
    readonly "aria-controls"?: string
    readonly "aria-activedescendant"?: string
  }
  readonly onTyped: () => void
  /** Takes the keys of the list. */
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly close: () => void
  readonly write: (option: Option) => void
}

const HINT = "Ctrl+Space shows what can be written at the caret."

/** @param schema null where there is none, or not yet: nothing is completed */
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
  /** As one types, a list that has nothing to add, or of everything, would be in the way. */
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
    // So that it can be undone; where a browser does not know it, it is written all the same.
    if (!document.execCommand("insertText", false, text)) {
      element.setRangeText(text, opened.from, opened.to, "end")
      element.dispatchEvent(new InputEvent("input", { bubbles: true }))
    }
    // Behind a key, the words that its value may be.
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
      // Else it closed the dialog around it as well.
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
    says: schema === null ? "" : foundNothing ? "Nothing that the schema names fits at the caret." : HINT,
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

/** Keys that move the caret or its end of a selection, where they choose nothing. */
const MOVING = /^(?:Arrow(?:Left|Right|Up|Down)|Home|End|PageUp|PageDown)$/

interface Props {
  readonly completing: Completing
  /** Where the caret's line is, and the column of what is completed in it, in pixels and characters. */
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
      aria-label="What can be written here"
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
