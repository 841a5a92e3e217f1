/** The tool `search`: the events that hold a text, or at which an expression becomes true. */
import { Chunk, Effect, Option, Schema, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Moment from "../../../events/read/Moment.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import * as Predicate from "../../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as EventLine from "../../pages/events/EventLine.ts"
import * as Style from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import type * as Answer from "../server/Answer.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

/** Events that an answer lists. */
const FOUND = 20

/** Characters on each side of a found text. */
const AROUND = 80

/** Time after which a search says how far it got, in milliseconds. */
const SEARCH_MS = 20_000

/** Events that are read at once. */
const PAGE = 1_000

export const search = Tool.make({
  name: "search",
  title: "Search the events",
  description:
    'Events that hold a text (case ignored), with the words around it; or, with `when`, those at which a CEL expression over state, event and position becomes true: event.type == "CommandFailed".',
  input: Schema.Struct({
    text: Tool.optional(Tool.text("The text to look for in payloads")),
    when: Tool.optional(Tool.text("A CEL expression, instead of a text")),
    task: Tool.optional(Tool.task),
    after: Tool.optional(Tool.moment("Only events after this moment")),
    until: Tool.optional(Tool.moment("Only events up to this moment")),
  }),
  run: (args) =>
    Effect.gen(function* () {
      const { text, when, task, after, until } = args
      if ((text === undefined || text === "") === (when === undefined || when === "")) {
        return yield* new BadInput({
          input: "search",
          expected: "either `text` or `when`",
          found: text === undefined || text === "" ? "neither" : "both",
        })
      }
      const found = yield* text === undefined || text === ""
        ? predicateHits(when ?? "", { task, after, until })
        : textHits(text, { task, after, until })
      const next: NonNullable<Answer.Answer["next"]> =
        found.next === undefined
          ? []
          : [[{ tool: "search", args: { ...args, after: `@${found.next}` } }, "the events after those"]]
      const none = found.lines.length > 0 ? [] : ["No event fits."]
      return { lines: found.lines, foot: [...none, ...found.foot], next }
    }),
})

interface Range {
  readonly task: string | undefined
  readonly after: string | undefined
  readonly until: string | undefined
}

interface Hits {
  readonly lines: ReadonlyArray<string>
  readonly foot: ReadonlyArray<string>
  /** The position after which the search continues. */
  readonly next: number | undefined
}

const textHits = (text: string, { task, after, until }: Range) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const taskId = task === undefined ? undefined : (yield* TaskArgument.named(task)).taskId
    const end = until === undefined ? (yield* log.head).position : yield* Moment.resolve(until)
    const sought = text.toLowerCase()
    const began = performance.now()
    const lines: Array<string> = []
    let from = after === undefined ? 0 : yield* Moment.resolve(after)
    for (;;) {
      const query = { after: from, until: end, ...(taskId === undefined ? {} : { taskId }) }
      const page = yield* log.readPage(query, PAGE)
      for (const event of page) {
        const hit = around(event, sought)
        if (hit === undefined) continue
        if (lines.length === FOUND) return { lines, foot: [], next: from } satisfies Hits
        lines.push(hit)
        from = event.position
      }
      if (page.length < PAGE) return { lines, foot: [], next: undefined } satisfies Hits
      from = page.at(-1)?.position ?? end
      if (performance.now() - began > SEARCH_MS) {
        const foot = [`Searched up to @${from} of @${end} in ${Text.duration(SEARCH_MS)}.`]
        return { lines, foot, next: from } satisfies Hits
      }
    }
  })

/** A line for an event that holds the text in its payload; undefined if it does not. */
const around = ({ position, type, payload }: Event, sought: string): string | undefined => {
  const text = Text.json(payload)
  const index = text.toLowerCase().indexOf(sought)
  if (index < 0) return undefined
  const [start, end] = [Math.max(0, index - AROUND), index + sought.length + AROUND]
  const cut = `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`
  return `@${position} ${Text.oneLine(type)}  ${Text.oneLine(cut)}`
}

const predicateHits = (when: string, { task, after, until }: Range) =>
  Effect.gen(function* () {
    const taskId = task === undefined ? undefined : (yield* TaskArgument.named(task)).taskId
    const predicate = yield* Predicate.compile(when)
    const range = { ...(after === undefined ? {} : { since: after }), ...(until === undefined ? {} : { until }) }
    const hits = (yield* TimeTravel).watch(null, predicate, range)
    const ofTask = taskId === undefined ? hits : Stream.filter(hits, (event) => event.taskId === taskId)
    const found = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(ofTask, FOUND + 1)))
    const shown = found.slice(0, FOUND)
    return {
      lines: EventLine.shortOf(Style.plain, shown),
      foot: [],
      next: found.length > FOUND ? Option.getOrUndefined(Option.fromNullable(shown.at(-1)?.position)) : undefined,
    } satisfies Hits
  })
