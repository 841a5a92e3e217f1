/**
 * Two courses, one above the other, by the rows of their alignment: equal events share a column. Grows with the
 * courses.
 */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { Comparison } from "../../wire/Asking.ts"
import type { RewardRow } from "../../wire/Task.ts"
import { lastNotAbove } from "../model/Course.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { withShared } from "../model/conversation/sideBySide.ts"
import { momentsOf, netLine } from "../model/rewards.ts"
import { useStudio } from "../parts/context.ts"
import { emptied, leftOf, placeAt, within } from "./Placing.ts"
import { heightOf, inksOf, LANES, type LaneMark, rowsOf as laneRowsOf, paint } from "./paint.ts"
import { useWidth } from "./useWidth.ts"

const NONE: ReadonlySet<number> = new Set()
const ROWS = laneRowsOf(LANES)

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
  const sides = [
    { name: labels[0], rewards: rewards.a },
    { name: labels[1], rewards: rewards.b },
  ]
  const placed = (row: number) => leftOf(row / most)
  const moveTo = (clientX: number) => {
    const place = placeAt(box.current, clientX)
    if (place !== null) onSelect(Math.max(0, Math.round(within(place) * most) - before))
  }
  const [, inA = 0, inB = 0] = rows[before + now] ?? []
  return (
    <section class="lanes both" aria-label="Both courses">
      <div>
        {sides.map(({ name, rewards }) => (
          <div
            class="names"
            key={name}
            aria-hidden="true"
            style={{ height: `${heightOf(ROWS, rewards.length > 0)}px` }}
          >
            {ROWS.map(({ name: lane, height }) => (
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
        aria-valuetext={[inA === 0 ? "nothing" : `@${inA}`, inB === 0 ? "nothing" : `@${inB}`].join(" beside ")}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          moveTo(event.clientX)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) moveTo(event.clientX)
        }}
      >
        {sides.map(({ name, rewards }, side) => (
          <Strip
            key={name}
            name={name}
            pairs={rows}
            side={side === 0 ? 1 : 2}
            course={courses[side]}
            rewards={rewards}
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

interface StripProps {
  readonly name: string
  readonly pairs: Comparison["pairs"]
  readonly side: 1 | 2
  readonly course: CourseHistory | undefined
  readonly rewards: ReadonlyArray<RewardRow>
  /** Positions at which the marked predicate becomes true. */
  readonly hits: ReadonlySet<number>
}

const Strip = ({ name, pairs, side, course, rewards, hits }: StripProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const height = heightOf(ROWS, rewards.length > 0)
  const version = course?.version.value
  useEffect(() => {
    const context = emptied(canvas.current, width, height)
    if (context === null) return
    const most = Math.max(1, pairs.length - 1)
    const placeOf = rowsOf(pairs, side)
    const nets = netLine(momentsOf(rewards)).map(({ at, net, amount }) => ({
      place: placeOf(at) / most,
      net,
      kind: amount < 0 ? ("punishment" as const) : ("reward" as const),
    }))
    const marks = marksOf(pairs, side, course)
    paint(
      context,
      { width, height, lanes: ROWS, marks, rewards: nets, folds: [], hits: [...hits].map((at) => placeOf(at) / most) },
      inksOf(context.canvas),
    )
  }, [pairs, side, course, rewards, hits, width, height, version])
  return (
    <div class="strip-of">
      <span class="of">{name}</span>
      <canvas ref={canvas} style={{ height: `${height}px` }} />
    </div>
  )
}

/** The row at which a run had reached a position. */
const rowsOf = (pairs: Comparison["pairs"], side: 1 | 2): ((position: number) => number) => {
  const rows = pairs.flatMap((pair, row) => (pair[side] === 0 ? [] : [row]))
  const positions = rows.map((row) => pairs[row]?.[side] ?? 0)
  return (position) => rows[lastNotAbove(positions, position)] ?? 0
}

function* marksOf(pairs: Comparison["pairs"], side: 1 | 2, course: CourseHistory | undefined): Generator<LaneMark> {
  const marks = course?.marks.value
  if (marks == null) return
  const most = Math.max(1, pairs.length - 1)
  for (const [row, pair] of pairs.entries()) {
    const index = pair[side] === 0 ? -1 : marks.indexAt(pair[side])
    if (index >= 0) yield { place: row / most, weight: 1, ...marks.kindAt(index) }
  }
}
