/** The box with its palette, which says how it interprets its text (`model/commands`). */
import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { oneLine, visible } from "../../../values/PlainText.ts"
import type { TaskRow } from "../../wire/Task.ts"
import { meaningOf } from "../model/commands.ts"
import type { KeyTargets } from "../model/keys.ts"
import { entriesFor, MOST_TASK_NAME, MOST_TASKS, type PaletteEntry } from "../model/palette/Palette.ts"
import { useStudio } from "./context.ts"
import { useAnswer } from "./useAnswer.ts"
import { useThrottled } from "./useThrottled.ts"

/** Set this to put a text into the box, with the cursor at its end. */
export const boxText = signal<{ readonly text: string } | null>(null)

export const CommandBox = ({ page }: { readonly page: KeyTargets }) => {
  const studio = useStudio()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState("")
  const [isOpen, open] = useState(false)
  /** The chosen entry; -1 for the text as it is. */
  const [chosen, choose] = useState(-1)
  const given = boxText.value
  const timeline = studio.visit?.timeline ?? "main"
  const named = useThrottled(text.trim().slice(0, MOST_TASK_NAME))
  const wanted = named === "" ? {} : { named }
  const { answer } = useAnswer("tasks", isOpen ? { timeline, order: "worst", limit: MOST_TASKS, ...wanted } : null)
  // Until the answer about another text arrives, the tasks of the last one that match it stay.
  const found = useRef<ReadonlyArray<TaskRow>>([])
  if (answer !== null) found.current = answer.rows
  if (given !== null && input.current !== null) {
    boxText.value = null
    const element = input.current
    setText(given.text)
    queueMicrotask(() => {
      element.focus()
      element.setSelectionRange(given.text.length, given.text.length)
    })
  }
  const entries = isOpen ? entriesFor(text, studio, found.current) : []
  const now = Math.min(chosen, entries.length - 1)
  const meaning = meaningOf(text)
  const close = () => {
    setText("")
    choose(-1)
    input.current?.blur()
  }
  const act = async (run: PaletteEntry["run"]) => {
    if (run === null) return
    close()
    studio.notice.value = null
    try {
      await run(studio, page)
    } catch (cause) {
      studio.fail(cause)
    }
  }
  const pick = (entry: PaletteEntry) => {
    if (entry.run !== null) return void act(entry.run)
    setText(entry.text)
    choose(-1)
  }
  const step = (by: number) => {
    if (entries.length > 0) choose(((now + 1 + by + entries.length + 1) % (entries.length + 1)) - 1)
  }
  return (
    <form
      class="box"
      onSubmit={(event) => {
        event.preventDefault()
        const entry = entries[now]
        if (entry !== undefined) pick(entry)
        else void act(meaning?.run ?? null)
      }}
    >
      <input
        ref={input}
        value={text}
        role="combobox"
        aria-expanded={isOpen && entries.length > 0}
        aria-controls="box-names"
        aria-autocomplete="list"
        aria-activedescendant={now >= 0 ? `box-name-${now}` : undefined}
        aria-label="Go to a position, an event's id, a time, a task, a path, run to a predicate, or give a command"
        title="A position, an event's id, a time, a task, a path, a predicate, or a command (Ctrl-K, g)"
        placeholder="go to …"
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          choose(-1)
        }}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
        onKeyDown={(event) => {
          if (event.key === "Escape") close()
          else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault()
            step(event.key === "ArrowDown" ? 1 : -1)
          }
        }}
      />
      <div class="palette" hidden={!isOpen || (entries.length === 0 && meaning === null)}>
        {isOpen && meaning !== null ? (
          <p class="meaning" role="status">
            {meaning.says}
          </p>
        ) : null}
        <Entries entries={entries} now={now} onPick={pick} />
      </div>
    </form>
  )
}

interface EntriesProps {
  readonly entries: ReadonlyArray<PaletteEntry>
  readonly now: number
  readonly onPick: (entry: PaletteEntry) => void
}

const Entries = ({ entries, now, onPick }: EntriesProps) => {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [now])
  return (
    <div id="box-names" role="listbox" aria-label="Commands, screens, tasks and values" ref={list}>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the box choose and run an entry.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box.
        <div
          key={`${entry.group} ${entry.text}`}
          id={`box-name-${index}`}
          role="option"
          aria-selected={index === now}
          class="entry"
          // The box keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(entry)}
        >
          <span class="group">{entries[index - 1]?.group === entry.group ? "" : entry.group}</span>
          <bdi class="name">{visible(oneLine(entry.text))}</bdi>
          <bdi class="says">{entry.says}</bdi>
          {entry.key === "" ? null : <kbd>{entry.key}</kbd>}
        </div>
      ))}
    </div>
  )
}
