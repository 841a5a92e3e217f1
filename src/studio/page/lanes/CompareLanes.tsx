/**
 * Two courses, one above the other, by the rows of their alignment: equal events share a column, and calls, requests and
 * questions are bars from the row in which they begin to that in which they end. Grows with the courses.
 */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { Comparison } from "../../wire/Asking.ts"
import type { Span } from "../../wire/Spans.ts"
import type { RewardRow } from "../../wire/Task.ts"
import { lastNotAbove } from "../model/Course.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { withShared } from "../model/conversation/sideBySide.ts"
import { momentsOf, netLine } from "../model/rewards.ts"
import { useStudio } from "../parts/context.ts"
import { useSpans } from "../parts/useSpans.ts"
import { barAt, barOf } from "./Bars.ts"
import { emptied, leftOf, placeAt, within } from "./Placing.ts"
import { heightOf, inksOf, LANES, paint } from "./paint.ts"
import { type SpanRows, spannedMarks, spanRowsOf } from "./useSpanRows.ts"
import { useWidth } from "./useWidth.ts"

const NONE: ReadonlySet<number> = new Set()
const NO_SPANS: ReadonlyArray<Span> = []

interface Props {
  readonly comparison: Comparison
  readonly courses: ReadonlyArray<CourseHistory>
  /** The row of the playhead. */
  readonly now: number
  readonly onSelect: (row: number) => void
}

export const CompareLanes = ({ comparison, courses, now, onSelect }: Props) => {
  const studio = useStudio()
  const box = useRef<HTMLDivElement>(null)
  const { split, labels, rewards } = comparison
  const marks = courses[0]?.marks.value ?? null
  const { rows, before } = useMemo(() => withShared(comparison, marks?.positions ?? []), [comparison, marks])
  const most = Math.max(1, rows.length - 1)
  const parts = split === null ? null : before + split
  const inA = useSideRows(courses[0])
  const inB = useSideRows(courses[1])
  const sides = [
    { name: labels[0], rewards: rewards.a, spanRows: inA },
    { name: labels[1], rewards: rewards.b, spanRows: inB },
  ]
  const placed = (row: number) => leftOf(row / most)
  const moveTo = (clientX: number) => {
    const place = placeAt(box.current, clientX)
    if (place !== null) onSelect(Math.max(0, Math.round(within(place) * most) - before))
  }
  const [, atA = 0, atB = 0] = rows[before + now] ?? []
  return (
    <section class="lanes both" aria-label="Both courses">
      <div>
        {sides.map(({ name, rewards, spanRows: { lanes } }) => (
          <div
            class="names"
            key={name}
            aria-hidden="true"
            style={{ height: `${heightOf(lanes, rewards.length > 0)}px` }}
          >
            {lanes.map(({ name: lane, height }) => (
              <span key={lane} style={{ height: `${height}px` }}>
                {lane}
              </span>
            ))}
            {rewards.length === 0 ? null : <span>net</span>}
          </div>
        ))}
      </div>
      <div
        // Put the names at the end that is far from the mark of the divergence.
        class={parts !== null && parts < most / 2 ? "tracks named-last" : "tracks"}
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Row of both courses"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={before + now}
        aria-valuetext={[atA === 0 ? "nothing" : `@${atA}`, atB === 0 ? "nothing" : `@${atB}`].join(" beside ")}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          moveTo(event.clientX)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) moveTo(event.clientX)
        }}
      >
        {sides.map(({ name, rewards, spanRows }, side) => (
          <Strip
            key={name}
            name={name}
            pairs={rows}
            side={side === 0 ? 1 : 2}
            course={courses[side]}
            rewards={rewards}
            spanRows={spanRows}
            hits={side === 0 ? studio.marked.places.value : NONE}
          />
        ))}
        {parts === null ? null : (
          <div class={parts < most / 4 ? "parts-here first" : "parts-here"} style={{ left: placed(parts) }}>
            <span>their decisions split</span>
          </div>
        )}
        <div class="playhead" style={{ left: placed(before + now) }} />
      </div>
    </section>
  )
}

/** The lanes of a side, whose spans load when it is shown. */
const useSideRows = (course: CourseHistory | undefined): SpanRows => {
  useSpans(course ?? null)
  const spans = course?.spans.value?.all ?? NO_SPANS
  return useMemo(() => spanRowsOf(LANES, spans), [spans])
}

interface StripProps {
  readonly name: string
  readonly pairs: Comparison["pairs"]
  readonly side: 1 | 2
  readonly course: CourseHistory | undefined
  readonly rewards: ReadonlyArray<RewardRow>
  readonly spanRows: SpanRows
  /** Positions at which the marked predicate becomes true. */
  readonly hits: ReadonlySet<number>
}

const Strip = ({ name, pairs, side, course, rewards, spanRows: { lanes, spans, levels }, hits }: StripProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const height = heightOf(lanes, rewards.length > 0)
  const version = course?.version.value
  const placeOf = useMemo(() => placesOf(pairs, side), [pairs, side])
  const bars = useMemo(
    () => spans.map((span, index) => barOf(span, levels[index] ?? 0, placeOf, 1)).filter(({ from }) => from <= 1),
    [spans, levels, placeOf],
  )
  useEffect(() => {
    const context = emptied(canvas.current, width, height)
    if (context === null) return
    const nets = netLine(momentsOf(rewards)).map(({ at, net, amount }) => ({
      place: placeOf(at),
      net,
      kind: amount < 0 ? ("punishment" as const) : ("reward" as const),
    }))
    const marks = course?.marks.value ?? null
    paint(
      context,
      {
        ...{ width, height, lanes, bars, rewards: nets, folds: [], hits: [...hits].map(placeOf) },
        marks: marks === null ? [] : spannedMarks({ places: marks.positions.map(placeOf) }, marks, spans, levels),
      },
      inksOf(context.canvas),
    )
  }, [placeOf, bars, course, rewards, hits, width, height, version])
  return (
    <div
      class="strip-of"
      onPointerMove={(event) => {
        const { top } = event.currentTarget.getBoundingClientRect()
        const bar = barAt(bars, lanes, placeAt(canvas.current, event.clientX), event.clientY - top)
        event.currentTarget.title = bar?.title ?? ""
      }}
    >
      <span class="of">{name}</span>
      <canvas ref={canvas} style={{ height: `${height}px` }} />
    </div>
  )
}

/** Events that came after the comparison are beyond the lanes. */
const BEYOND = 2

/** The place of the row at which a run had reached a position. */
const placesOf = (pairs: Comparison["pairs"], side: 1 | 2): ((position: number) => number) => {
  const rows = pairs.flatMap((pair, row) => (pair[side] === 0 ? [] : [row]))
  const positions = rows.map((row) => pairs[row]?.[side] ?? 0)
  const most = Math.max(1, pairs.length - 1)
  const last = positions.at(-1) ?? 0
  return (position) => (position > last ? BEYOND : (rows[lastNotAbove(positions, position)] ?? 0) / most)
}
