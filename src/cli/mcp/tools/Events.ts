/** The tools `show` and `skeleton`: one event whole, and the events of a task in few words. */
import { Effect, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Moment from "../../../events/read/Moment.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import type { Annotation } from "../../../projections/annotations/Annotations.ts"
import * as EventSummary from "../../../projections/summary/EventSummary.ts"
import { pointerKeys, valueAt } from "../../../values/Json.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as AnnotationLines from "../../pages/annotations/AnnotationLines.ts"
import * as EventPage from "../../pages/events/EventPage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as Answer from "../server/Answer.ts"
import * as LongValue from "../server/LongValue.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

const eventAt = (moment: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const position = yield* Moment.resolve(moment)
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    return event ?? (yield* new Moment.EventNotFound({ event: moment, log: log.name }))
  })

export const show = Tool.make({
  name: "show",
  title: "Show an event",
  description:
    "One event with its payload. Long texts are cut, and say how to read the rest: `field` is a JSON Pointer into the payload (/result/text), `offset` a number of characters.",
  input: Schema.Struct({
    event: Tool.event,
    field: Tool.optional(Tool.text("A JSON Pointer into the payload: only this part")),
    offset: Tool.optional(Tool.wholeNumber("With `field`: characters of its text to leave out")),
  }),
  run: ({ event: wanted, field, offset = 0 }) =>
    Effect.gen(function* () {
      const event = yield* eventAt(wanted)
      const call = (path: string, from: number): Answer.Call => ({
        tool: "show",
        args: { event: `@${event.position}`, field: path, ...(from === 0 ? {} : { offset: from }) },
      })
      if (field !== undefined) {
        const part = field === "" || field.startsWith("/") ? valueAt(event.payload, pointerKeys(field)) : undefined
        if (part === undefined) return yield* noField(event, field)
        return LongValue.answer(part, {
          path: field,
          offset,
          call,
          head: [`@${event.position} ${field || "payload"}:`],
        })
      }
      const short = LongValue.shortened(event.payload, call)
      const annotations = yield* AnnotationList.ofEvent(yield* EventLog, event.position)
      const shownEvent = { ...event, payload: short.value as Event["payload"] }
      const lines = EventPage.lines(Style.plain, shownEvent, annotations)
      const shown = Answer.cut(lines)
      const foot = shown.remaining === 0 ? [] : [LongValue.cutShort(shown.remaining)]
      return { lines: shown.lines, foot, next: short.next }
    }),
})

const noField = (event: Event, field: string) =>
  new BadInput({
    input: "field",
    expected: `a JSON Pointer to a part of the payload of @${event.position}, such as ${Object.keys(event.payload)
      .slice(0, 8)
      .map((key) => `/${key}`)
      .join(", ")}`,
    found: `"${field}"`,
    missing: true,
  })

/** Events that nearly every command has, and that say nothing when all goes well. */
const ROUTINE: ReadonlySet<string> = new Set(["CommandAllowed", "CommandDispatched", "PluginStarted", "PluginExited"])

/** Events that are read at once. */
const PAGE = 200

export const skeleton = Tool.make({
  name: "skeleton",
  title: "The course of a task",
  description:
    "The events of a task, a line each, with repeats folded and routine events (CommandAllowed, CommandDispatched) left out and counted.",
  input: Schema.Struct({
    task: Tool.task,
    from: Tool.optional(Tool.moment("The first event to show")),
    to: Tool.optional(Tool.moment("The last event to show")),
    all: Tool.optional(Schema.Boolean.annotations({ description: "Also show routine events" })),
  }),
  run: ({ task, from, to, all = false }) =>
    Effect.gen(function* () {
      const { taskId, log } = yield* TaskArgument.named(task)
      const first = from === undefined ? 1 : yield* Moment.resolve(from)
      const until = to === undefined ? (yield* log.head).position : yield* Moment.resolve(to)
      const course = new Course()
      let after = Math.max(0, first - 1)
      let next: number | undefined
      for (let isDone = false; !isDone && next === undefined; ) {
        const page = yield* log.readPage({ timeline: log.timeline, taskId, after, until }, PAGE)
        for (const event of page) {
          if (next === undefined && !course.takes(event, all)) next = event.position
        }
        after = page.at(-1)?.position ?? until
        isDone = page.length < PAGE
      }
      const remarks = next === undefined ? (yield* AnnotationList.load(log)).filter(isAbout(taskId)) : []
      const lines = [...course.lines(), ...AnnotationLines.shortUnder(Style.plain, remarks.slice(-MAX_REMARKS))]
      const shownFrom = TaskArgument.written(taskId, first)
      return {
        lines,
        foot: [
          ...(lines.length === 0 ? [`The task has no event from @${first} to @${until}.`] : []),
          ...(remarks.length > MAX_REMARKS
            ? [`The newest ${MAX_REMARKS} of ${remarks.length} notes, stars, tags and labels of people are shown.`]
            : []),
          ...(course.leftOut === 0
            ? []
            : [`${Text.count(course.leftOut, "routine event")} left out; all: true shows them.`]),
        ],
        next:
          next === undefined
            ? []
            : [[{ tool: "skeleton", args: { task: shownFrom, from: `@${next}` } }, "the following events"]],
      }
    }),
})

/** Annotations of a task that are shown under its events. */
const MAX_REMARKS = 50

const isAbout =
  (taskId: string) =>
  ({ subject }: Annotation): boolean =>
    subject.task === taskId

interface Row {
  readonly first: number
  last: number
  times: number
  readonly words: string
}

/** Lines of successive events, within the budget of an answer. */
class Course {
  leftOut = 0
  private readonly rows: Array<Row> = []
  private bytes = 0

  /** Adds an event. False if the answer has no room for it. */
  takes(event: Event, all: boolean): boolean {
    if (!all && ROUTINE.has(event.type)) {
      this.leftOut += 1
      return true
    }
    const words = `${Text.oneLine(event.type)}  ${EventSummary.of(event)}`.trimEnd()
    const row = this.rows.at(-1)
    if (row !== undefined && row.words === words) {
      row.last = event.position
      row.times += 1
      return true
    }
    this.bytes += Buffer.byteLength(words) + 12
    if (this.bytes > Answer.MAX_BYTES) return false
    this.rows.push({ first: event.position, last: event.position, times: 1, words })
    return true
  }

  lines(): ReadonlyArray<string> {
    return this.rows.map(({ first, last, times, words }) =>
      times === 1 ? `@${first} ${words}` : `@${first}–@${last} ${times} × ${words}`,
    )
  }
}
