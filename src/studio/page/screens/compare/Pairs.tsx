/** Two runs side by side, event by event. Renders only the visible of thousands of rows. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Comparison } from "../../../wire/Asking.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { Mark } from "../../parts/Mark.tsx"

const ROW = 26
const BEYOND = 10

interface PairsProps {
  readonly comparison: Comparison
  readonly courses: ReadonlyArray<CourseHistory>
  readonly now: number
  readonly onSelect: (index: number) => void
}

export const Pairs = ({ comparison: { pairs, split }, courses, now, onSelect }: PairsProps) => {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = box.current?.clientHeight ?? 300
  for (const course of courses) course.version.value
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const place = now * ROW
    if (place < element.scrollTop || place > element.scrollTop + element.clientHeight - ROW)
      element.scrollTop = place - element.clientHeight / 2
  }, [now, pairs])
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(pairs.length - 1, first + Math.ceil(height / ROW) + 2 * BEYOND)
  useEffect(() => {
    for (const index of [first, last])
      for (const [side, course] of courses.entries()) {
        const position = lastOf(pairs, index, side === 0 ? 1 : 2)
        if (position !== 0 && course.marks.value !== null && course.frameAt(position) === null)
          void course.load(position)
      }
  }, [first, last, courses[0]?.version.value, courses[1]?.version.value])
  const rows = []
  for (let index = first; index <= last; index++) {
    const pair = pairs[index]
    if (pair === undefined) continue
    const [kind, a, b] = pair
    rows.push(
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
      <div
        key={index}
        tabIndex={-1}
        role="option"
        aria-selected={index === now}
        class={`pair p-${kind === "=" ? "same" : kind === "~" ? "changed" : "only"}${index === now ? " here" : ""}${index === split ? " parts" : ""}`}
        style={{ top: `${index * ROW}px` }}
        onClick={() => onSelect(index)}
      >
        <Half course={courses[0]} position={a} />
        <span class="sign">{kind === "=" ? "" : kind === "~" ? "≠" : kind === "a" ? "◂" : "▸"}</span>
        <Half course={courses[1]} position={b} />
      </div>,
    )
  }
  return (
    <div
      class="pairs"
      ref={box}
      role="listbox"
      aria-label="Both runs, event by event"
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div style={{ height: `${pairs.length * ROW}px` }}>{rows}</div>
    </div>
  )
}

const Half = ({ course, position }: { readonly course: CourseHistory | undefined; readonly position: number }) => {
  const entry = position === 0 ? null : (course?.frameAt(position)?.entry ?? null)
  if (position === 0) return <span class="half none" />
  return (
    <span class="half">
      <span class="at">@{position}</span>
      {entry === null ? (
        <span class="skeleton" />
      ) : (
        <>
          <Mark kind={entry.kind} bad={entry.bad} />
          <span class="line">
            <span class="type">{entry.type}</span> <bdi>{entry.line}</bdi>
          </span>
        </>
      )}
    </span>
  )
}

/** The position that a run had reached at a row. */
export const lastOf = (pairs: Comparison["pairs"], index: number, column: 1 | 2): number => {
  for (let at = index; at >= 0; at--) {
    const position = pairs[at]?.[column] ?? 0
    if (position !== 0) return position
  }
  return 0
}
