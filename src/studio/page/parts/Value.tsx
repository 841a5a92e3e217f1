/** A JSON value as indented text. Cuts long and deep parts until the reader asks for them. */
import { useState } from "preact/hooks"
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"

/** Maximum members of an object or list shown at once, and maximum characters of a text. */
const MEMBERS = 100
const LENGTH = 2_000
/** Levels open at first, and the deepest level shown. */
const OPEN = 4
const DEEPEST = 60

export const Value = ({ value, depth = 0 }: { readonly value: Json; readonly depth?: number }) => {
  if (typeof value === "string") return <Text text={value} />
  if (typeof value !== "object" || value === null)
    return <span class={`v-${value === null ? "null" : typeof value}`}>{String(value)}</span>
  return <Members value={value} depth={depth} />
}

const Text = ({ text }: { readonly text: string }) => {
  const [all, showAll] = useState(false)
  const isLong = text.length > LENGTH
  const shown = isLong && !all ? text.slice(0, LENGTH) : text
  const isBlock = shown.includes("\n")
  return (
    <span class={isBlock ? "v-string block" : "v-string"}>
      <bdi>{isBlock ? shown : `“${oneLine(shown)}”`}</bdi>
      {isLong && !all ? (
        <More text={`… ${(text.length - LENGTH).toLocaleString("en")} more characters`} onMore={() => showAll(true)} />
      ) : null}
    </span>
  )
}

const Members = ({ value, depth }: { readonly value: object; readonly depth: number }) => {
  const [shown, show] = useState(depth < OPEN ? MEMBERS : 0)
  const isList = Array.isArray(value)
  const entries = Object.entries(value) as ReadonlyArray<readonly [string, Json]>
  if (entries.length === 0) return <span class="v-null">{isList ? "[]" : "{}"}</span>
  if (depth >= DEEPEST) return <span class="v-null">… deeper levels are not shown</span>
  if (shown === 0)
    return <More text={isList ? `[ ${entries.length} ]` : `{ ${entries.length} }`} onMore={() => show(MEMBERS)} />
  return (
    <ul class="members">
      {entries.slice(0, shown).map(([key, member]) => (
        <li key={key}>
          <span class="key">
            <bdi>{oneLine(key)}</bdi>
          </span>{" "}
          <Value value={member} depth={depth + 1} />
        </li>
      ))}
      {entries.length > shown ? (
        <li>
          <More text={`… ${entries.length - shown} more`} onMore={() => show(shown + MEMBERS * 10)} />
        </li>
      ) : null}
    </ul>
  )
}

const More = ({ text, onMore }: { readonly text: string; readonly onMore: () => void }) => (
  <button type="button" class="more" onClick={onMore}>
    {text}
  </button>
)
