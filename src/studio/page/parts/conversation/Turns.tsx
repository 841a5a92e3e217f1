/** The requests to models and their calls as bars, in order. A click goes there. Draws only visible rows. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Item } from "../../../../projections/conversation/Item.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import type { Talk } from "../../model/conversation/Talk.ts"
import { useStudio } from "../context.ts"
import { duration } from "../format.ts"

/** Height of a row in pixels, as in the style sheet, and rows drawn beyond the edges. */
const ROW = 24
const BEYOND = 10

interface TurnsProps {
  readonly course: CourseHistory
  readonly talk: Talk
  /** Called after a click. */
  readonly onGo: () => void
}

export const Turns = ({ course, talk, onGo }: TurnsProps) => {
  const studio = useStudio()
  course.version.value
  talk.rows.take()
  const box = useRef<HTMLElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const { spans } = talk.rows
  const here = lastAt(spans, talk.rowAt(studio.position.value))
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || here < 0) return
    const at = here * ROW
    if (at < element.scrollTop + ROW || at > element.scrollTop + element.clientHeight - 2 * ROW)
      element.scrollTop = at - element.clientHeight * 0.4
  }, [here, height])
  const longest = Math.max(1, talk.rows.longestMs)
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const last = Math.min(spans.length - 1, first + Math.ceil(height / ROW) + 2 * BEYOND)
  const rows = []
  for (let index = first; index <= last; index++) {
    const span = spans[index]
    if (span === undefined) continue
    const item = talk.itemAt(span.position)
    const ms = item === undefined ? span.ms : lengthOf(item)
    rows.push(
      <button
        type="button"
        key={span.position}
        class={`span ${span.turn === null ? "of-call" : "of-turn"}${index === here ? " here" : ""}${isBad(item) ? " bad" : ""}${item === undefined ? " guessed" : ""}`}
        style={{ top: `${index * ROW}px` }}
        aria-current={index === here ? "true" : undefined}
        onClick={() => {
          studio.moveTo(talk.positionOf(span.row))
          onGo()
        }}
      >
        <span class="name">{span.turn ?? <bdi>{nameIn(item)}</bdi>}</span>
        <span
          class="length"
          style={{ width: `${ms === null ? 0 : 4 + (44 * Math.log1p(ms)) / Math.log1p(longest)}px` }}
        />
        <small>{ms === null ? stateIn(item) : `${item === undefined ? "≈ " : ""}${duration(ms)}`}</small>
      </button>,
    )
  }
  return (
    <nav
      class="turns"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
      tabIndex={0}
      aria-label="Turns and calls"
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      {spans.length === 0 ? <p class="empty">No model was called.</p> : null}
      <div style={{ height: `${spans.length * ROW}px` }}>{rows}</div>
    </nav>
  )
}

/** How long it took, in milliseconds; null if unknown. */
const lengthOf = (item: Item): number | null =>
  item.kind === "answer" ? item.latencyMs : item.kind === "call" ? (item.end?.latencyMs ?? null) : null

const isBad = (item: Item | undefined): boolean =>
  (item?.kind === "answer" && item.failed !== null) ||
  (item?.kind === "call" && item.end !== null && item.end.status !== "succeeded")

const nameIn = (item: Item | undefined): string => (item?.kind === "call" ? item.tool.replace(/^.*\//s, "") : "…")

const stateIn = (item: Item | undefined): string => {
  if (item?.kind === "call" && item.end === null) return item.state
  return item?.kind === "answer" && item.request !== null ? "running" : ""
}

const lastAt = (spans: Talk["rows"]["spans"], row: number): number => {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.row ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}
