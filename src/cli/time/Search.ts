/** The command `hindcast search`: events whose texts have some words. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Search from "../../search/Search.ts"
import { KINDS } from "../../search/words/EventText.ts"
import { parse } from "../../search/words/WordQuery.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, optionalText, someOf, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as SearchPage from "../pages/events/SearchPage.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as PastOptions from "./PastOptions.ts"

const searchOptions = {
  ...common,
  words: argument(
    "words",
    'Words that all have to occur in an event, "phrases in quotes" and beginnings*. Case and accents do not matter',
  ).pipe(Args.atLeast(1)),
  task: optionalText("task", `Only events of this task. ${TASK}`),
  kind: someOf("kind", KINDS).pipe(Options.withDescription("Only texts of this kind; repeat it for several")),
  since: optionalText("since", "Only events after this moment"),
  until: PastOptions.range.until,
  best: flag("best", `Show the best of the newest ${Search.RANKED} hits first. Default: the newest first`),
  limit: LimitOption.limit("Show at most this many hits", 20),
}

export const search = Command.make(
  "search",
  searchOptions,
  ({ log, json, words, task, kind, since, until, best, limit }) =>
    Effect.gen(function* () {
      const text = words.join(" ")
      if (parse(text) === undefined) {
        return yield* new BadInput({ input: "search", expected: "a word to search for", found: JSON.stringify(text) })
      }
      const after = Option.isNone(since) ? undefined : yield* Moment.resolve(since.value)
      const last = Option.isNone(until) ? undefined : yield* Moment.resolve(until.value)
      const taskId = Option.isNone(task) ? undefined : yield* Ids.task(task.value)
      const found = yield* ProgressLine.during({ verb: "indexed", unit: "events", json }, (onProgress) =>
        Effect.gen(function* () {
          const search = yield* Search.make
          yield* search.build({ onProgress })
          const order = best ? "best" : "newest"
          const before = last === undefined ? undefined : last + 1
          return yield* search.find({ text, taskId, kinds: kind, after, before, order, limit })
        }),
      )
      yield* Output.show(json, SearchPage.document(text, found), (style) => SearchPage.lines(style, found))
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("Search goals, messages, arguments, results, errors and notes for words"))
