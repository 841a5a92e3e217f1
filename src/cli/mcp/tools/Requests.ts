/** The tool `saw`: a model's request in a turn, or its changes since the turn before. */
import { Effect, Schema } from "effect"
import * as Saw from "../../../projections/request/Saw.ts"
import * as SawPage from "../../pages/time/SawPage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"

export const saw = Tool.make({
  name: "saw",
  title: "What the model saw",
  description:
    "The whole request behind an event: system prompt, tools, settings and all messages that the model saw, put together from the log. `diff`: only what changed since its previous request.",
  input: Schema.Struct({
    event: Tool.event,
    diff: Tool.optional(Schema.Boolean.annotations({ description: "Only what changed since the previous request" })),
    skip: Tool.skip,
  }),
  run: ({ event, diff = false, skip = 0 }) =>
    Effect.gen(function* () {
      const found = yield* Saw.at(event)
      const args = { event, ...(diff ? { diff } : {}) }
      const compared = diff ? yield* Saw.sincePrevious(found) : undefined
      if (diff && compared === undefined)
        return { lines: [`@${found.request.position} is the first request of its conversation.`] }
      const lines =
        compared === undefined ? SawPage.lines(Style.plain, found, true) : SawPage.difference(Style.plain, compared)
      return Answer.page(lines, skip, { tool: "saw", args })
    }),
})
