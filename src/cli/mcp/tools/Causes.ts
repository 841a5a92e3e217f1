/** The tools `why` and `effects`: the chains of causes and consequences of an event. */
import { Effect, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Passage from "../../../projections/explanation/Passage.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import * as EventPage from "../../pages/events/EventPage.ts"
import * as PassageLines from "../../pages/explanation/PassageLines.ts"
import * as ConsequencePage from "../../pages/time/ConsequencePage.ts"
import * as Style from "../../terminal/Style.ts"
import * as Answer from "../server/Answer.ts"
import * as Tool from "../server/Tool.ts"

export const why = Tool.make({
  name: "why",
  title: "Why an event happened",
  description:
    "The causes of an event, newest first, down to the first one: a line each. For a command of a model, also the passage of the conversation that it follows from.",
  input: Schema.Struct({ event: Tool.event, skip: Tool.skip }),
  run: ({ event, skip = 0 }) =>
    Effect.gen(function* () {
      const chain = yield* (yield* TimeTravel).why(event)
      const passage = yield* Passage.of(yield* EventLog, chain)
      const lines = [...EventPage.chain(Style.plain, chain), ...PassageLines.lines(Style.plain, passage)]
      return Answer.page(lines, skip, { tool: "why", args: { event } })
    }),
})

/** Maximum number of consequences that are searched for. */
const MAX_EFFECTS = 500

export const effects = Tool.make({
  name: "effects",
  title: "What an event caused",
  description: "The events that an event caused, directly or through others, as a tree: a line each.",
  input: Schema.Struct({ event: Tool.event, skip: Tool.skip }),
  run: ({ event, skip = 0 }) =>
    Effect.gen(function* () {
      const found = yield* (yield* TimeTravel).effects(event, { limit: MAX_EFFECTS })
      const lines = ConsequencePage.lines(Style.plain, { ...found, more: false }, false)
      const answer = Answer.page(lines, skip, { tool: "effects", args: { event } })
      if (!found.more) return answer
      const last = found.events.at(-1)?.event.position ?? 0
      return {
        ...answer,
        foot: [...(answer.foot ?? []), `The search ended at ${MAX_EFFECTS} events; others may follow.`],
        next: [
          ...(answer.next ?? []),
          [{ tool: "effects", args: { event: `@${last}` } }, "what the last of them caused"] as const,
        ],
      }
    }),
})
