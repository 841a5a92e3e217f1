/** A text editor that shows issues at their lines. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { JsonObject } from "../../../values/Json.ts"
import type { TextIssue } from "../../wire/Asking.ts"
import { CompletionList, useCompletion } from "./Completions.tsx"

/** Height of a line and the space above the first one, in pixels, as in the style sheet. */
const LINE = 20
const ABOVE = 8

/**
 * Width of the line numbers, and of the completion list with the space next to it, in pixels, as in the style sheet.
 */
const BESIDE = 56
const LIST = 448

const LISTED = 50

interface Props {
  readonly label: string
  readonly text: string
  readonly issues: ReadonlyArray<TextIssue>
  readonly rows: number
  readonly schema: JsonObject | null
  readonly onText: (text: string) => void
  readonly onCaret?: (offset: number) => void
}

export const TextEditor = ({ label, text, issues, rows, schema, onText, onCaret }: Props) => {
  const area = useRef<HTMLTextAreaElement>(null)
  const completing = useCompletion(area, schema)
  const { opened } = completing
  const [scroll, setScroll] = useState({ top: 0, left: 0, height: rows * LINE })
  const lines = useMemo(() => text.split("\n"), [text])
  const byLine = useMemo(() => messagesByLine(issues), [issues])
  useLayoutEffect(() => {
    const element = area.current
    if (element === null) return
    const observer = new ResizeObserver(() => setScroll((before) => ({ ...before, height: element.clientHeight })))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(1, Math.floor((scroll.top - ABOVE) / LINE))
  const last = Math.min(lines.length, first + Math.ceil(scroll.height / LINE) + 1)
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  const topOf = (line: number) => `${ABOVE + (line - 1) * LINE - scroll.top}px`
  const goTo = ({ line, column }: TextIssue) => {
    const element = area.current
    if (element === null || line === null) return
    const before = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
    const at = before + Math.max(0, (column ?? 1) - 1)
    element.focus()
    element.setSelectionRange(at, at)
    element.scrollTop = Math.max(0, (line - 1) * LINE - element.clientHeight / 2)
    onCaret?.(at)
  }
  const sayCaret = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) =>
    onCaret?.(currentTarget.selectionStart)
  return (
    <div class="editor">
      <div class="frame">
        <div class="behind" aria-hidden="true">
          {shown.map((line) => (
            <span key={line} class={byLine.has(line) ? "marked" : undefined} style={{ top: topOf(line) }}>
              <span class={byLine.has(line) ? "number bad" : "number"}>{line}</span>
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={issues.length > 0}
          aria-describedby="text-issues"
          rows={rows}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={text}
          {...completing.described}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value)
            onCaret?.(currentTarget.selectionStart)
            completing.onTyped()
          }}
          onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left, clientHeight: height } }) =>
            setScroll({ top, left, height })
          }
          onKeyDown={completing.onKeyDown}
          onBlur={completing.close}
          onClick={(event) => {
            completing.close()
            sayCaret(event)
          }}
          onKeyUp={sayCaret}
        />
        <div class="remarks" aria-hidden="true">
          {shown.flatMap((line) => {
            const message = byLine.get(line)
            const end = `calc(${lines[line - 1]?.length ?? 0}ch + 2ch - ${scroll.left}px)`
            return message === undefined
              ? []
              : [
                  <span key={line} style={{ top: topOf(line), left: end }}>
                    ◂ {message}
                  </span>,
                ]
          })}
        </div>
        {opened === null ? null : <CompletionList completing={completing} {...placeOf(text, opened.from, scroll)} />}
      </div>
      {completing.says === "" ? null : (
        <p class="note" role="status">
          {completing.says}
        </p>
      )}
      <div id="text-issues" class="issues" role="status">
        <ul>
          {issues.slice(0, LISTED).map((issue) => (
            <li key={`${issue.line} ${issue.column} ${issue.message}`}>
              {issue.line === null ? null : (
                <button type="button" onClick={() => goTo(issue)}>
                  line {issue.line}
                  {issue.column === null ? "" : `, column ${issue.column}`}
                </button>
              )}{" "}
              <bdi>{issue.message}</bdi>
            </li>
          ))}
          {issues.length > LISTED ? <li>and {issues.length - LISTED} more</li> : null}
        </ul>
      </div>
    </div>
  )
}

/** Places the list below the line, or above it where more of it is visible. */
const placeOf = (
  text: string,
  offset: number,
  scroll: { readonly top: number; readonly left: number; readonly height: number },
) => {
  const before = text.slice(0, offset).split("\n")
  const top = ABOVE + (before.length - 1) * LINE - scroll.top
  const isAbove = top + LINE > scroll.height / 2
  return {
    isAbove,
    top: isAbove ? top : top + LINE,
    left: `clamp(0px, ${BESIDE}px + ${before.at(-1)?.length ?? 0}ch - ${scroll.left}px, max(0px, 100% - ${LIST}px))`,
  }
}

const messagesByLine = (issues: ReadonlyArray<TextIssue>): ReadonlyMap<number, string> => {
  const found = new Map<number, string>()
  for (const { line, message } of issues) {
    if (line === null) continue
    const known = found.get(line)
    found.set(line, known === undefined ? message : `${known} · ${message}`)
  }
  return found
}
