/** The lanes of a course with its spans: which lanes there are, and how many bars stand below each other, as a hook. */
import { useMemo } from "preact/hooks"
import { KINDS, type Kind } from "../../wire/Kind.ts"
import type { Span } from "../../wire/Spans.ts"
import type { CourseOfTask } from "../model/Course.ts"
import type { CourseHistory } from "../model/CourseHistory.ts"
import { countsOf } from "../model/listed/EventRows.ts"
import { useStudio } from "../parts/context.ts"
import type { Axis } from "./Axis.ts"
import { KIND_OF, levelsOf } from "./Bars.ts"
import { LANES, type Lane, type LaneMark, type LaneRow, rowsOf } from "./paint.ts"

export interface SpanRows {
  readonly lanes: ReadonlyArray<LaneRow>
  /** Those that the filter of the list lets through. */
  readonly spans: ReadonlyArray<Span>
  /** The level of each of the spans on its lane. */
  readonly levels: ReadonlyArray<number>
}

const NOTHING: ReadonlyArray<Span> = []

/** Lanes without any event are left out; a whole timeline has all of them. */
export const useSpanRows = (course: CourseHistory): SpanRows => {
  const studio = useStudio()
  const marks = course.marks.value
  const known = course.spans.value
  const { kind = "", agent = "", plugin = "" } = studio.visit ?? {}
  return useMemo(() => {
    const holds = ({ kind: of, from }: Span) => {
      const index = marks?.indexAt(from) ?? -1
      return (
        (kind === "" || KIND_OF[of] === kind) &&
        (agent === "" || known?.agentAt(index) === agent) &&
        (plugin === "" || known?.pluginAt(index) === plugin)
      )
    }
    const spans = known === null ? NOTHING : known.all.filter(holds)
    const present = marks === null ? null : new Set(countsOf(marks, KINDS).map(([name]) => name))
    const shown = LANES.filter(({ kinds }) => present === null || kinds.some((one) => present.has(one)))
    return spanRowsOf(shown, spans)
  }, [marks, marks?.length, known, kind, agent, plugin])
}

/** The lanes with room for these spans. */
export const spanRowsOf = (shown: ReadonlyArray<Lane>, spans: ReadonlyArray<Span>): SpanRows => {
  const laneOf = (of: Kind) => shown.findIndex(({ kinds }) => kinds.includes(of))
  const levels = levelsOf(spans, laneOf)
  const most = new Map<number, number>()
  for (const [index, { kind: of }] of spans.entries()) {
    const lane = laneOf(KIND_OF[of])
    most.set(lane, Math.max(most.get(lane) ?? 1, (levels[index] ?? 0) + 1))
  }
  return { lanes: rowsOf(shown, (lane) => most.get(lane) ?? 1), spans, levels }
}

/**
 * The marks of a task's events. A span has one mark, at its beginning, which says whether it went wrong; its other
 * events are in its bar.
 */
export function* spannedMarks(
  { places }: Pick<Axis, "places">,
  marks: CourseOfTask,
  spans: ReadonlyArray<Span>,
  levels: ReadonlyArray<number>,
): Generator<LaneMark> {
  const begun = new Map<number, number>()
  const within = new Set<number>()
  for (const [index, { kind, from, to, events }] of spans.entries()) {
    if (kind === "wait" || kind === "pause") continue
    begun.set(from, index)
    if (to !== null) within.add(to)
    for (const position of events) if (position !== from) within.add(position)
  }
  for (const [index, place] of places.entries()) {
    const position = marks.positions[index] ?? 0
    const span = begun.get(position)
    if (span !== undefined) {
      const { kind, isBad } = spans[span] ?? { kind: "call", isBad: false }
      yield { place, weight: 1, kind: KIND_OF[kind], bad: isBad, level: levels[span] ?? 0 }
    } else if (!within.has(position)) yield { place, weight: 1, ...marks.kindAt(index) }
  }
}
