/** The events of the course by position. Renders only visible rows. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { AnnotationRow } from "../../wire/Annotations.ts"
import type { Entry } from "../../wire/CourseSlice.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { amountLabel } from "../model/rewards.ts"
import { SIGNS } from "./Annotations.tsx"
import { useStudio } from "./context.ts"
import { clock } from "./format.ts"
import { Mark, NAMES } from "./Mark.tsx"

/** Height of a row in pixels, as in the style sheet, and rows rendered beyond the edges. */
const ROW = 26
const BEYOND = 8

/** Maximum height that browsers lay out exactly, in pixels. Longer lists scroll in proportion. */
const TALLEST = 8_000_000

export const EventList = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  course.version.value
  const position = studio.position.value
  const marks = course.marks.value
  const length = marks?.length ?? course.last
  const now = marks === null ? position - 1 : marks.indexAt(position)
  const whole = length * ROW
  // From scrolled pixels to row pixels, so that both ends are reachable.
  const scale = whole > TALLEST ? (TALLEST - height) / (whole - height) : 1
  const view = top / scale

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // Keep the position's row in view, a little above the middle after a jump.
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || now < 0) return
    const at = now * ROW
    const [above, tall] = [element.scrollTop / scale, element.clientHeight]
    if (at >= above + ROW && at <= above + tall - 2 * ROW) return
    const isStep = at >= above - 2 * ROW && at <= above + tall + 2 * ROW
    const stepped = at > above ? at - tall + 3 * ROW : at - 2 * ROW
    element.scrollTop = (isStep ? stepped : at - tall * 0.4) * scale
  }, [now, length, height])

  const first = Math.max(0, Math.floor(view / ROW) - BEYOND)
  const last = Math.min(length - 1, first + Math.ceil(height / ROW) + 2 * BEYOND)
  const positionOf = (index: number) => (marks === null ? index + 1 : (marks.positions[index] ?? 0))

  useEffect(() => {
    if (length > 0 && course.entryAt(positionOf(first)) === undefined) void course.load(positionOf(first))
    if (length > 0 && course.entryAt(positionOf(last)) === undefined) void course.load(positionOf(last))
  }, [first, last, length])

  const rows = []
  for (let index = first; index <= last; index++)
    rows.push(
      <Row
        key={index}
        course={course}
        position={positionOf(index)}
        top={index * ROW - view + top}
        isHere={index === now}
      />,
    )
  return (
    <div
      class="events"
      ref={box}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={now < 0 ? undefined : `event-${position}`}
    >
      <div style={{ height: `${Math.min(whole, TALLEST)}px` }}>{rows}</div>
    </div>
  )
}

interface RowProps {
  readonly course: CourseHistory
  readonly position: number
  readonly top: number
  readonly isHere: boolean
}

const Row = ({ course, position, top, isHere }: RowProps) => {
  const studio = useStudio()
  const entry = course.entryAt(position)
  // This timeline has no event at this position of the log.
  if (entry === null) return <div class="event none" style={{ top: `${top}px` }} />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
    <div
      tabIndex={-1}
      class={`event${isHere ? " here" : ""}${entry?.bad ? " bad" : ""}`}
      style={{ top: `${top}px` }}
      id={`event-${position}`}
      role="option"
      aria-selected={isHere}
      onClick={() => studio.moveTo(position)}
    >
      {entry === undefined ? <Skeleton position={position} /> : <EntryRow entry={entry} />}
    </div>
  )
}

const Skeleton = ({ position }: { readonly position: number }) => (
  <>
    <span class="at">@{position}</span>
    <span class="skeleton" />
  </>
)

const NOTHING: ReadonlyArray<AnnotationRow> = []

const EntryRow = ({ entry }: { readonly entry: Entry }) => {
  const studio = useStudio()
  const moments = studio.momentsAt.value.get(entry.position) ?? []
  const said = studio.annotated.byPosition.value.get(entry.position) ?? NOTHING
  const isHit = studio.marked.places.value.has(entry.position)
  return (
    <>
      <span class="at">@{entry.position}</span>
      <Mark kind={entry.kind} bad={entry.bad} />
      <span class="line" title={`${NAMES[entry.kind]}, ${clock(entry.occurredAt)}`}>
        <span class="type">{entry.type}</span> <bdi>{entry.line}</bdi>
      </span>
      {isHit ? (
        <span class="hit" title="The predicate becomes true here">
          ●
        </span>
      ) : null}
      {said.length === 0 ? null : (
        <span class="annotated" title={said.map(({ kind, text }) => `${kind} ${text}`.trim()).join("; ")}>
          {[...new Set(said.map(({ kind }) => SIGNS[kind]))].join("")}
        </span>
      )}
      {moments.map(({ amount, reward }) => (
        <span key={reward.position} class={reward.kind} title={reward.name}>
          {amountLabel(amount)}
        </span>
      ))}
    </>
  )
}
