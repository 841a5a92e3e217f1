/** Answers `/api/talk` and `/api/inputs`: the activity and the messages of an agent at work, and input to it. */

import { Data, Effect, Option, Schema, Stream } from "effect"
import * as Channel from "../../agents/channel/Channel.ts"
import type { ChannelEvent } from "../../agents/channel/ChannelEvent.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import { FORM } from "../../platform/loopback/Messages.ts"
import type { ServerSentEvent } from "../../platform/loopback/ServerSentEvents.ts"
import { defined } from "../../values/defined.ts"
import { Allowed, NotAllowed } from "../Allowed.ts"
import { type Delta, type Input, LONGEST_INPUT } from "../wire/Talk.ts"
import * as Query from "./Query.ts"

export const TalkQuery = Schema.Struct({ timeline: Query.Timeline, task: Schema.NonEmptyString })

/** The agent's state now and whenever it changes, and the pieces of its answers while they stream. */
export const talk = ({ timeline, task }: typeof TalkQuery.Type) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const deltas = (yield* Allowed).talk?.deltas
    const channel = yield* Channel.make({ taskId: task, timeline, ...defined({ deltas }) })
    const { position: after } = yield* log.head
    const state = yield* channel.state
    const now: ServerSentEvent = { id: after, type: "state", data: { state } }
    const coming = Stream.filterMap(channel.events({ after }), sent)
    return Stream.concat(Stream.succeed(now), coming).pipe(
      Stream.catchAll((failure) =>
        Stream.succeed<ServerSentEvent>({
          id: after,
          type: "problem",
          data: { error: failure._tag, message: failure.message },
        }),
      ),
    )
  })

/** Leaves out events of the log: the page gets them from `/api/live`. */
const sent = (event: ChannelEvent): Option.Option<ServerSentEvent> => {
  const { position: id } = event
  if (event.type === "onAgentStateChange") return Option.some({ id, type: "state", data: { state: event.state } })
  if (event.type !== "onDelta") return Option.none()
  const { request, index, kind, text } = event
  return Option.some({ id, type: "delta", data: { request, index, kind, text } satisfies Delta })
}

const Words = Schema.String.pipe(
  Schema.maxLength(LONGEST_INPUT),
  Schema.filter((text) => text.trim() !== "" || "expected text, found none"),
)

export const InputBody: Schema.Schema<Input> = Schema.Struct({
  timeline: Schema.NonEmptyString,
  task: Schema.NonEmptyString,
  text: Words,
  delivery: InputDelivery,
}).annotations({
  [FORM]: `{ timeline, task, text, delivery }, text of at most ${LONGEST_INPUT} characters, delivery one of ${InputDelivery.literals.join(", ")}`,
})

/** Submits input to an agent of the program that serves Studio. */
export const input = ({ timeline, task, text, delivery }: Input) =>
  Effect.gen(function* () {
    const allowed = yield* Allowed
    if (!allowed.answer) return yield* new NotAllowed({ what: "talk to agents", option: "answer" })
    if (allowed.talk === null) return yield* new NoAgentsHere({ task })
    const channel = yield* Channel.make({ taskId: task, timeline, by: allowed.by })
    const { position } = yield* channel.submitUserInput(text, { delivery, source: "studio" })
    return { position }
  })

/** The program that serves Studio runs no kernel, so the agent works elsewhere. */
export class NoAgentsHere extends Data.TaggedError("NoAgentsHere")<{ readonly task: string }> {
  override get message() {
    return `Task ${this.task}: expected an agent of the program that serves Studio, found that this program runs no kernel. Serve Studio from the program that runs the agent (Studio.layer with Hindcast.layer), or use its channel.`
  }
}
