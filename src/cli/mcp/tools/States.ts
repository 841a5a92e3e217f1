/** The tools `state`, `diff`, `blame` and `bisect`: the environment at a moment, and the events behind it. */
import { Effect, Schema } from "effect"
import * as Predicate from "../../../kernel/rules/Predicate.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as BisectionPage from "../../pages/time/BisectionPage.ts"
import * as BlamePage from "../../pages/time/BlamePage.ts"
import * as DiffPage from "../../pages/time/DiffPage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Answer from "../server/Answer.ts"
import * as LongValue from "../server/LongValue.ts"
import * as Tool from "../server/Tool.ts"

const path = Tool.text("A JSON Pointer into the environment, such as /tasks/ID/readings or /shared")

export const state = Tool.make({
  name: "state",
  title: "The environment at a moment",
  description:
    "One part of the environment at a moment: readings, worlds' documents, commands. `path` is required; /tasks and /shared list what there is.",
  input: Schema.Struct({
    path,
    at: Tool.optional(Tool.moment("The moment; default: now")),
    offset: Tool.optional(Tool.wholeNumber("If the part is a text: characters to leave out")),
  }),
  run: ({ path, at = "now", offset = 0 }) =>
    Effect.gen(function* () {
      if (path === "") {
        return yield* new BadInput({ input: "path", expected: "a part of the state, such as /tasks", found: '""' })
      }
      const value = yield* (yield* TimeTravel).stateAt(at, path)
      const call = (part: string, from: number): Answer.Call => ({
        tool: "state",
        args: { path: part, at, ...(from === 0 ? {} : { offset: from }) },
      })
      return LongValue.answer(value, { path, offset, call, head: [`${path} at ${at}:`] })
    }),
})

export const diff = Tool.make({
  name: "diff",
  title: "What changed between two moments",
  description: "The differences of the environment between two moments, each with the event that caused it.",
  input: Schema.Struct({
    from: Tool.moment("The first moment"),
    to: Tool.moment("The second moment"),
    under: Tool.optional(Tool.text("Only differences at paths that begin with this JSON Pointer")),
    skip: Tool.skip,
  }),
  run: ({ from, to, under = "", skip = 0 }) =>
    Effect.gen(function* () {
      const found = yield* DiffPage.load(from, to)
      const changes = found.changes.filter((change) => change.path.startsWith(under))
      const args = { from, to, ...(under === "" ? {} : { under }) }
      return Answer.page(DiffPage.lines(Style.plain, { ...found, changes }), skip, { tool: "diff", args })
    }),
})

export const blame = Tool.make({
  name: "blame",
  title: "Which event set a value",
  description: "The value at a path of the environment, and the event that last changed it.",
  input: Schema.Struct({ path, at: Tool.optional(Tool.moment("The moment; default: now")) }),
  run: ({ path, at }) =>
    Effect.map(
      Effect.flatMap(TimeTravel, (travel) => travel.blame(path, at)),
      (blamed): Answer.Answer => ({
        lines: BlamePage.lines(Style.plain, blamed),
        next:
          blamed.event === null
            ? []
            : [[{ tool: "why", args: { event: `@${blamed.event.position}` } }, "the causes of that event"]],
      }),
    ),
})

export const bisect = Tool.make({
  name: "bisect",
  title: "When something became true",
  description:
    "The first moment at which a CEL expression over `state`, `event` and `position` holds, such as 'event.type == \"CommandFailed\"' or 'state.tasks[\"ID\"].open == false'.",
  input: Schema.Struct({
    when: Tool.text("A CEL expression that is true or false"),
    from: Tool.optional(Tool.moment("The moment to begin at; default: before the first event")),
    to: Tool.optional(Tool.moment("The moment to end at; default: now")),
    scan: Tool.optional(Schema.Boolean.annotations({ description: "Examine every moment: slower, and certain" })),
  }),
  run: ({ when, ...options }) =>
    Effect.gen(function* () {
      const predicate = yield* Predicate.compile(when)
      const found = yield* (yield* TimeTravel).bisect(predicate, options)
      return {
        lines: BisectionPage.lines(Style.plain, found),
        next:
          found.event === null
            ? []
            : [[{ tool: "why", args: { event: `@${found.event.position}` } }, "the causes of that event"]],
      }
    }),
})
