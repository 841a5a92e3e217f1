/**
 * The course from left to right at the bottom of the page, with the playhead. Paints the lanes once; a step moves only
 * the playhead.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { KINDS } from "../../wire/Kind.ts"
import type { Density } from "../../wire/Log.ts"
import { isFiltering } from "../../wire/Rows.ts"
import type { CourseOfTask } from "../model/Course.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { netLine } from "../model/rewards.ts"
import { settings } from "../model/settings.ts"
import { useStudio } from "../parts/context.ts"
import { clock, duration } from "../parts/format.ts"
import { useAgain } from "../parts/useAgain.ts"
import { useAnswer } from "../parts/useAnswer.ts"
import { useThrottled } from "../parts/useThrottled.ts"
import { type Axis, axisOf, nearest, zoomed } from "./Axis.ts"
import { barAt, barOf } from "./Bars.ts"
import { emptied, leftOf, placeAt } from "./Placing.ts"
import { heightOf, inksOf, type LaneMark, paint, RULER } from "./paint.ts"
import { ticksOfCourse, ticksOfFolds, ticksOfTimeline } from "./Ruler.ts"
import { spannedMarks, useSpanRows } from "./useSpanRows.ts"
import { useWidth } from "./useWidth.ts"
import { WholeLog } from "./WholeLog.tsx"

const BINS = 400

export const Lanes = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const [theme, setTheme] = useState(0)
  const [again, setAgain] = useState(0)
  const { timeline, task } = course.course
  const marks = course.marks.value
  const fold = settings.foldIdle.value
  const moments = studio.moments.value
  const { lanes, spans, levels } = useSpanRows(course)
  const height = heightOf(lanes, moments.length > 0) + RULER
  const hits = studio.marked.places.value
  const { zoom = null, kind = "", agent = "", plugin = "" } = studio.visit ?? {}
  course.version.value
  // Do not repaint at each event of a growing course.
  const end = useThrottled(course.last)
  const [first, last] = zoom ?? [course.first, end]

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const onChange = () => setTheme((before) => before + 1)
    dark.addEventListener("change", onChange)
    return () => dark.removeEventListener("change", onChange)
  }, [])
  const counted = useAnswer(
    "density",
    task === null ? { timeline, from: first, to: last, bins: BINS, kind, agent, plugin } : null,
    `${useThrottled(studio.indexed.value)} ${again}`,
  )
  // The index tells when it has counted more. The reading for a filter does not.
  const isReading = isFiltering({ kind, agent, plugin }) && counted.answer?.isWhole === false
  useAgain(() => setAgain(again + 1), isReading, counted)
  // Keep the painting until the counts of the next range arrive.
  const painted = useRef<Density | null>(null)
  painted.current = counted.answer ?? painted.current
  const density = painted.current
  const axis: Axis | null = useMemo(() => {
    if (marks === null) return null
    const whole = axisOf(marks.times, fold)
    return zoom === null ? whole : zoomed(whole, Math.max(0, marks.indexAt(first)), Math.max(0, marks.indexAt(last)))
  }, [marks, end, fold, first, last])

  const placeOf = (position: number): number =>
    axis === null || marks === null
      ? (Math.min(position, zoom === null ? last : position) - first) / Math.max(1, last - first)
      : (axis.places[Math.min(Math.max(0, marks.indexAt(position)), axis.places.length - 1)] ?? 0)

  const bars = useMemo(
    () => spans.map((span, index) => barOf(span, levels[index] ?? 0, placeOf, placeOf(end))),
    [axis, spans, levels],
  )
  useEffect(() => {
    const context = emptied(canvas.current, width, height)
    if (context === null) return
    const nets = netLine(moments)
    paint(
      context,
      {
        width,
        height,
        lanes,
        marks: axis === null || marks === null ? ofDensity(density) : spannedMarks(axis, marks, spans, levels),
        bars,
        rewards: nets.map(({ at, net, amount }) => ({
          place: placeOf(at),
          net,
          kind: amount < 0 ? "punishment" : "reward",
        })),
        folds: axis?.folds.map(({ index }) => axis.places[index] ?? 0) ?? [],
        hits: [...hits].map(placeOf),
        ...(axis === null || marks === null
          ? { columns: density?.counts.length ?? BINS, ticks: ticksOfTimeline(first, last, width) }
          : { ticks: [...ticksOfFolds(axis), ...ticksOfCourse(axis, marks, width)] }),
      },
      inksOf(context.canvas),
    )
  }, [axis, marks, bars, lanes, density, moments, hits, width, height, theme, first, last])

  const moveTo = (clientX: number) => {
    const place = placeAt(canvas.current, clientX)
    if (place === null) return
    if (axis !== null && marks !== null) studio.moveTo(marks.positions[nearest(axis, place)] ?? 0)
    else studio.moveTo(Math.round(Math.min(last, Math.max(first, first + place * (last - first)))))
  }
  const position = studio.position.value
  const place = placeOf(position)
  const shown = studio.frame.value?.entry
  return (
    <section
      class="lanes"
      aria-label="Course"
      aria-busy={task === null ? density === null : course.spans.value === null}
    >
      <div class="names" aria-hidden="true">
        {lanes.map(({ name, height }) => (
          <span key={name} style={{ height: `${height}px` }}>
            {name}
          </span>
        ))}
        {moments.length === 0 ? null : <span>score</span>}
      </div>
      <div
        class="track"
        role="slider"
        tabIndex={0}
        aria-label="Position"
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={position}
        aria-valuetext={
          shown == null ? `@${position}` : `@${position}, ${shown.type}: ${shown.line}, ${clock(shown.occurredAt)}`
        }
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          moveTo(event.clientX)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) return moveTo(event.clientX)
          const { top } = event.currentTarget.getBoundingClientRect()
          const bar = barAt(bars, lanes, placeAt(canvas.current, event.clientX), event.clientY - top)
          event.currentTarget.title = bar?.title ?? ""
        }}
      >
        <canvas ref={canvas} style={{ height: `${height}px` }} />
        {place < -0.001 || place > 1.001 ? null : <div class="playhead" style={{ left: leftOf(place) }} />}
      </div>
      {studio.source.follow === null || (task === null && zoom === null) ? null : (
        <>
          <span class="name" aria-hidden="true">
            whole log
          </span>
          <WholeLog course={course.course} first={first} last={last} theme={theme} />
        </>
      )}
      <div class="below">
        <span>
          @{first} to @{last}
          {marks === null || marks.length < 2 ? null : `, ${duration(timeAt(marks, last) - timeAt(marks, first))}`}
          {counted.problem === "" ? null : <span class="problem"> {counted.problem}</span>}
        </span>
        <span class="buttons">
          {marks === null ? null : (
            <label>
              <input type="checkbox" checked={fold} onChange={() => settings.setFoldIdle(!fold)} /> fold idle time
            </label>
          )}
          <button type="button" onClick={() => zoomBy(0.5)} aria-label="Zoom in">
            +
          </button>
          <button type="button" onClick={() => zoomBy(2)} aria-label="Zoom out">
            −
          </button>
          {zoom === null ? null : (
            <button type="button" onClick={() => studio.look({ zoom: null }, true)}>
              all
            </button>
          )}
        </span>
      </div>
    </section>
  )

  function zoomBy(factor: number): void {
    const zoomed = zoomAround(course, position, first, last, factor)
    studio.look({ zoom: zoomed }, true)
  }
}

/** When the task had reached a position, by its own time. */
const timeAt = (marks: CourseOfTask, position: number): number => marks.times[Math.max(0, marks.indexAt(position))] ?? 0

/** The range of positions around one, scaled by a factor; null for all. For a task, scales by its events. */
export const zoomAround = (
  course: CourseHistory,
  position: number,
  first: number,
  last: number,
  factor: number,
): readonly [number, number] | null => {
  const marks = course.marks.value
  const [from, to, at] =
    marks === null ? [first, last, position] : [marks.indexAt(first), marks.indexAt(last), marks.indexAt(position)]
  const most = marks === null ? course.last : marks.length - 1
  const least = marks === null ? 1 : 0
  const length = Math.max(4, (to - from) * factor)
  const share = to === from ? 0.5 : (at - from) / (to - from)
  const start = Math.max(least, Math.round(at - length * share))
  const end = Math.min(most, Math.round(start + length))
  if (start <= least && end >= most) return null
  return marks === null ? [start, end] : [marks.positions[start] ?? first, marks.positions[end] ?? last]
}

function* ofDensity(density: Density | null): Generator<LaneMark> {
  if (density === null) return
  const most = Math.max(1, ...density.counts.map((counts) => Math.max(...counts)))
  for (const [bin, counts] of density.counts.entries()) {
    const place = (bin + 0.5) / density.counts.length
    for (const [kind, count] of counts.entries()) {
      const name = KINDS[kind]
      if (count > 0 && name !== undefined) yield { place, kind: name, bad: false, weight: Math.sqrt(count / most) }
    }
  }
}
