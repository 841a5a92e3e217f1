/** The requests to models and their calls as bars, in order. A click goes there. Draws only visible rows. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
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
  talk.drawn.value
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
    if (element === null) return
    const at = Math.max(0, here) * ROW
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
    const gist = talk.gistOf(span.position)
    const ms = gist === undefined ? span.ms : gist.ms
    rows.push(
      <button
        type="button"
        key={span.position}
        class={`span ${span.turn === null ? "of-call" : "of-turn"}${index === here ? " here" : ""}${gist?.isBad === true ? " bad" : ""}${gist === undefined ? " guessed" : ""}`}
        style={{ top: `${index * ROW}px` }}
        aria-current={index === here ? "true" : undefined}
        onClick={() => {
          studio.moveTo(talk.positionOf(span.row))
          onGo()
        }}
      >
        <span class="name">{span.turn ?? <bdi>{gist?.name.replace(/^.*\//s, "") ?? "…"}</bdi>}</span>
        <span
          class="length"
          style={{ width: `${ms === null ? 0 : 4 + (44 * Math.log1p(ms)) / Math.log1p(longest)}px` }}
        />
        <small>{ms === null ? gist?.state : `${gist === undefined ? "≈ " : ""}${duration(ms)}`}</small>
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

const lastAt = (spans: Talk["rows"]["spans"], row: number): number => {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.row ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}
