/** Two runs side by side, event by event. Renders only the visible of thousands of rows. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Comparison, RowDifferences } from "../../../wire/Asking.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { Mark } from "../../parts/Mark.tsx"
import { RowDifference } from "./RowDifference.tsx"
import { useDifferences } from "./useDifferences.ts"
import { pathText, Words } from "./Words.tsx"

const ROW = 26
const BEYOND = 10

interface PairsProps {
  readonly comparison: Comparison
  readonly courses: ReadonlyArray<CourseHistory>
  readonly now: number
  readonly onSelect: (index: number) => void
}

export const Pairs = ({ comparison: { pairs, split, labels }, courses, now, onSelect }: PairsProps) => {
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
  const visible = pairs.slice(first, last + 1)
  const differences = useDifferences([...visible, pairs[now]])
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
        <Half course={courses[0]} position={a} place={differences.of(pair)?.shown[0]} side="-" />
        <span class="sign">{kind === "=" ? "" : kind === "~" ? "≠" : kind === "a" ? "◂" : "▸"}</span>
        <Half course={courses[1]} position={b} place={differences.of(pair)?.shown[0]} side="+" />
      </div>,
    )
  }
  return (
    <>
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
      <RowDifference
        row={pairs[now]}
        labels={labels}
        found={differences.of(pairs[now])}
        problem={differences.problem}
      />
    </>
  )
}

interface HalfProps {
  readonly course: CourseHistory | undefined
  readonly position: number
  /** The first place that differs, if any, instead of the event's summary. */
  readonly place: RowDifferences[number]["shown"][number] | undefined
  readonly side: "-" | "+"
}

const Half = ({ course, position, place, side }: HalfProps) => {
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
            <span class="type">{entry.type}</span>{" "}
            {place === undefined ? (
              <bdi>{entry.line}</bdi>
            ) : (
              <>
                <bdi class="path">{pathText(place)}</bdi> <Words parts={place.parts} side={side} />
              </>
            )}
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
