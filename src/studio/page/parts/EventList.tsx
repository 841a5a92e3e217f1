/** The events of the course by position, with each call as one row. Renders only visible rows. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { AnnotationRow } from "../../wire/Annotations.ts"
import type { Brief } from "../../wire/CourseSlice.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import type { EventRow } from "../model/listed/EventRows.ts"
import { amountLabel } from "../model/rewards.ts"
import { settings } from "../model/settings.ts"
import { SIGNS } from "./Annotations.tsx"
import { CallRow } from "./CallRow.tsx"
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
  const listed = studio.listed.value
  // Without rows, all events of a timeline are listed by their positions.
  const length = listed?.length ?? course.last
  const { row: now, isNear } =
    listed === null ? { row: position - 1, isNear: false } : (listed.find(position) ?? LOADING)
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

  const first = Math.max(0, Math.min(length - 1, Math.floor(view / ROW) - BEYOND))
  const last = Math.min(length - 1, first + Math.ceil(height / ROW) + 2 * BEYOND)
  const positionOf = (row: number) => (listed === null ? row + 1 : (listed.rowAt(row)?.position ?? 0))
  const timeline = course.rows.value
  const isOfTimeline = timeline !== null && listed === timeline
  const age = isOfTimeline ? timeline.version.value : 0

  useEffect(() => {
    if (length === 0) return
    if (isOfTimeline) {
      for (const row of [first, last]) void timeline.load({ row })
      return
    }
    // Filtered rows may be far apart.
    for (let row = first; row <= last; row += listed === null ? Math.max(1, last - first) : 1)
      if (course.entryAt(positionOf(row)) === undefined) void course.load(positionOf(row))
  }, [first, last, length, listed, age])

  const rows = []
  // The position whose row is drawn as the playhead's: an attribute may only name an element that is there.
  let drawn: number | undefined
  for (let row = first; row <= last; row++) {
    const shown = listed === null ? { position: row + 1, call: undefined, isPart: false } : listed.rowAt(row)
    const isHere = row === now && !isNear
    if (isHere && shown !== undefined && entryOf(course, shown) !== null) drawn = shown.position
    rows.push(
      <Row key={row} course={course} row={shown} top={row * ROW - view + top} here={isHere ? position : null} />,
    )
  }
  return (
    <div
      class="events"
      ref={box}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={drawn === undefined ? undefined : `event-${drawn}`}
    >
      {length === 0 ? <p class="empty">No event is of this kind, agent and plugin.</p> : null}
      <div style={{ height: `${Math.min(whole, TALLEST)}px` }}>{rows}</div>
    </div>
  )
}

/** The entry that a row shows: undefined while it loads, null where this timeline has no event at this position of the log. */
const entryOf = (course: CourseHistory, { brief, position }: EventRow) => brief ?? course.entryAt(position)

/** The position's row, as long as nobody knows it. */
const LOADING = { row: -1, isNear: true }

interface RowProps {
  readonly course: CourseHistory
  /** Undefined while it loads. */
  readonly row: EventRow | undefined
  readonly top: number
  /** The position of the playhead, if it is in this row. */
  readonly here: number | null
}

const Row = ({ course, row, top, here }: RowProps) => {
  const studio = useStudio()
  if (row === undefined)
    return (
      <div class="event" style={{ top: `${top}px` }}>
        <span class="skeleton" />
      </div>
    )
  const { position, call, isPart } = row
  const entry = entryOf(course, row)
  if (entry === null) return <div class="event none" style={{ top: `${top}px` }} />
  const isHere = here !== null
  const isBad = call === undefined || isPart ? entry?.bad : call.isBad
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page move the position wherever the focus is.
    <div
      tabIndex={-1}
      class={`event${isHere ? " here" : ""}${isBad ? " bad" : ""}${isPart ? " part-of-call" : ""}${call !== undefined && !isPart ? " whole-call" : ""}`}
      style={{ top: `${top}px` }}
      id={`event-${position}`}
      role="option"
      aria-selected={isHere}
      onClick={() => studio.moveTo(position)}
    >
      {entry === undefined ? (
        <Skeleton position={position} />
      ) : call === undefined || isPart ? (
        <EntryRow entry={entry} />
      ) : (
        <CallRow
          call={call}
          entry={entry}
          here={here}
          isOpen={course.turned.value.has(call.from) === settings.foldCalls.value}
          onTurn={() => course.turn(call.from)}
        />
      )}
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

const EntryRow = ({ entry }: { readonly entry: Brief }) => {
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
