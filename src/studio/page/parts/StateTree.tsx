/**
 * The state at the position as a tree. Marks the event's changes, names each value's writer, and labels stale readings.
 */
import { useState } from "preact/hooks"
import { type Json, type JsonObject, pointerKeys, pointerToken, valueAt } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { type OldReading, oldReadings } from "../model/oldReadings.ts"
import { useStudio } from "./context.ts"
import { inline } from "./format.ts"
import { At } from "./Link.tsx"

/** Members shown at once, and levels open at first. */
const MEMBERS = 60
const OPEN = 4

/** Characters of a value next to its name, in a narrow tree and in a wide one: longer ones stand below it. */
const SHORT = 12
const LINE = 48
/** Maximum characters of a value. */
const LONGEST = 240

interface Shown {
  readonly frame: CourseMoment
  readonly changed: ReadonlySet<string>
  readonly around: ReadonlySet<string>
  readonly old: ReadonlyMap<string, OldReading>
  readonly path: string
}

/** The parts of the state that concern a task, or all of it for an event of no task. */
export const StateTree = ({ frame, task }: { readonly frame: CourseMoment; readonly task: string | null }) => {
  const studio = useStudio()
  const root = task === null ? "" : `/tasks/${pointerToken(task)}`
  const shown: Shown = {
    frame,
    changed: new Set((frame.entry?.changes ?? []).map(({ path }) => path)),
    around: new Set((frame.entry?.changes ?? []).flatMap(({ path }) => withAbove(path))),
    old: oldReadings(frame, root),
    path: studio.visit?.path ?? "",
  }
  const value = valueAt(frame.after, pointerKeys(root))
  const shared = valueAt(frame.after, ["shared"])
  return (
    <div class="state">
      {value === undefined ? (
        <p class="empty">This task has no state yet.</p>
      ) : (
        <Branch value={value} pointer={root} depth={0} shown={shown} />
      )}
      {task === null || isBlank(shared) ? null : (
        <>
          <h3>shared by all tasks</h3>
          <Branch value={shared ?? {}} pointer="/shared" depth={1} shown={shown} />
        </>
      )}
    </div>
  )
}

const withAbove = (pointer: string): ReadonlyArray<string> => {
  const keys = pointer.split("/")
  return keys.map((_, index) => keys.slice(0, index + 1).join("/"))
}

const isBlank = (scope: Json | undefined): boolean =>
  typeof scope !== "object" ||
  scope === null ||
  Object.values(scope).every((part) => typeof part === "object" && part !== null && Object.keys(part).length === 0)

interface Part {
  readonly value: Json
  readonly pointer: string
  readonly depth: number
  readonly shown: Shown
}

const Branch = ({ value, pointer, depth, shown }: Part) => {
  const [most, showMore] = useState(MEMBERS)
  if (typeof value !== "object" || value === null) return null
  const entries = Object.entries(value as JsonObject)
  return (
    <ul>
      {entries.slice(0, most).map(([key, member]) => (
        <Node
          key={key}
          name={key}
          value={member}
          pointer={`${pointer}/${pointerToken(key)}`}
          depth={depth}
          shown={shown}
        />
      ))}
      {entries.length > most ? (
        <li>
          <button type="button" class="more" onClick={() => showMore(most + MEMBERS * 10)}>
            … {entries.length - most} more
          </button>
        </li>
      ) : null}
    </ul>
  )
}

const Node = ({ name, value, pointer, depth, shown }: Part & { readonly name: string }) => {
  const studio = useStudio()
  const { frame, changed, around, old, path } = shown
  const isInner = typeof value === "object" && value !== null && Object.keys(value).length > 0
  const [isOpen, open] = useState(depth < OPEN)
  const isChanged = changed.has(pointer) || (!isInner && around.has(pointer))
  const writer = isInner ? undefined : frame.chunk.writerOf(pointer, frame.index)
  const stale = old.get(pointer)
  const shownValue = isInner ? "" : inline(value, LONGEST)
  const size = shownValue.length > LINE ? "long " : shownValue.length > SHORT ? "middling " : ""
  const names = `${size}${isChanged ? "changed" : around.has(pointer) ? "around" : ""}${pointer === path ? " followed" : ""}`
  const follow = () => studio.look({ path: pointer, pane: "value" })
  return (
    <li class={names || undefined}>
      <span class="row">
        {isInner ? (
          <button
            type="button"
            class="twist"
            aria-label={name}
            aria-expanded={isOpen}
            title={isOpen ? "Close" : "Open"}
            onClick={() => open(!isOpen)}
          >
            {isOpen ? "▾" : "▸"}
          </button>
        ) : (
          <span class="twist" />
        )}
        {/* The value has the same action: one tab stop is enough. */}
        <button type="button" class="key" tabIndex={isInner ? 0 : -1} onClick={follow} title={pointer}>
          <bdi>{oneLine(name)}</bdi>
        </button>
        {isInner ? (
          isOpen ? null : (
            <span class="folded">{inline(value, 60)}</span>
          )
        ) : (
          <button
            type="button"
            class="value"
            onClick={follow}
            title="Show all of it, who wrote it, and its previous value (v)"
          >
            <bdi>{shownValue}</bdi>
            {shownValue.endsWith("…") ? <span class="whole-value"> all of it</span> : null}
          </button>
        )}
        {stale === undefined ? null : (
          <span class="old" title={`The world has ${inline(stale.world)} since @${stale.since}`}>
            old reading: {inline(stale.world, 40)} since <At position={stale.since} />
          </span>
        )}
        {writer === undefined ? null : <At position={writer} />}
      </span>
      {isInner && isOpen ? <Branch value={value} pointer={pointer} depth={depth + 1} shown={shown} /> : null}
    </li>
  )
}
