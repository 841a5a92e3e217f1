/** The tool `search`: the events that have some words, or at which an expression becomes true. */
import { Chunk, Effect, Schema, Stream } from "effect"
import * as Moment from "../../../events/read/Moment.ts"
import * as Predicate from "../../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as Search from "../../../search/Search.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as EventLine from "../../pages/events/EventLine.ts"
import * as SearchPage from "../../pages/events/SearchPage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import type * as Answer from "../server/Answer.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

/** Events that an answer lists. */
const FOUND = 20

/** Time after which a search answers with its hits so far, in milliseconds. */
const SEARCH_MS = 20_000

export const search = Tool.make({
  name: "search",
  title: "Search the events",
  description:
    'Events with some words (all of them; "phrases in quotes"; beginnings*), the newest first, with the text around them; or, with `when`, those at which a CEL expression over state, event and position becomes true, the oldest first: event.type == "CommandFailed".',
  input: Schema.Struct({
    text: Tool.optional(Tool.text("The words to look for. Case and accents do not matter")),
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
        found.next === undefined ? [] : [[{ tool: "search", args: { ...args, ...found.next } }, "more events"]]
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
  /** The argument with which the search continues. */
  readonly next: { readonly after: string } | { readonly until: string } | undefined
}

const textHits = (text: string, { task, after, until }: Range) =>
  Effect.gen(function* () {
    const search = yield* Search.Search
    const taskId = task === undefined ? undefined : (yield* TaskArgument.named(task)).taskId
    const first = after === undefined ? undefined : yield* Moment.resolve(after)
    const last = until === undefined ? undefined : yield* Moment.resolve(until)
    // A later search continues it.
    yield* Effect.timeoutOption(search.build(), SEARCH_MS)
    const before = last === undefined ? undefined : last + 1
    const asked = { text, taskId, after: first, before, limit: FOUND, budgetMs: SEARCH_MS }
    const { hits, next, widened, coverage } = yield* search.find(asked)
    const foot = [
      ...(widened ? ["No event has exactly these words; these have words that begin with them."] : []),
      ...(coverage.position < coverage.head
        ? [`The search covers the events up to @${coverage.position} of @${coverage.head} so far. Ask again later.`]
        : []),
    ]
    return {
      lines: hits.map(lineOf),
      foot,
      next: next === undefined ? undefined : { until: `@${next - 1}` },
    } satisfies Hits
  })

const lineOf = (hit: Search.Hit): string =>
  `${Text.at(hit.position)} ${Text.oneLine(hit.type)} (${hit.kind})  ${SearchPage.excerpt(hit, (marked) => marked)}`

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
      next: found.length > FOUND ? { after: `@${shown.at(-1)?.position ?? 0}` } : undefined,
    } satisfies Hits
  })
