/** `hindcast mcp gate --replay TASK`: a recorded session in place of the server. */
import { Data, Effect, type Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Replay from "../../mcp/replay/Replay.ts"
import { count } from "../../values/Formats.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProtocolStreams from "../command/ProtocolStreams.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"

/** The replay did not go as recorded. */
export class ReplayFailed extends Data.TaggedError("ReplayFailed")<{ readonly reason: string }> {
  override get message() {
    return `The replay failed: ${this.reason}.`
  }
}

/** Events that are read at once. */
const PAGE = 1_000

/** Runs until the client ends it. Fails if the recording lacks a call, or if the client made none. */
export const run = (task: string, log: Option.Option<string>): Effect.Effect<void, Error> =>
  Effect.gen(function* () {
    const taskId = yield* Ids.task(task)
    const events = yield* eventsOf(taskId)
    yield* UntilEnded.begin
    const end = yield* Effect.async<Replay.ReplayEnd, ReplayFailed>((resume) => {
      const stopping = new AbortController()
      const { input, output, remark: note } = ProtocolStreams
      Replay.run({ taskId, events, input, output, note, stop: stopping.signal }).then(
        (end) => resume(Effect.succeed(end)),
        (cause: unknown) =>
          resume(new ReplayFailed({ reason: cause instanceof Error ? cause.message : String(cause) })),
      )
      return Effect.sync(() => stopping.abort())
    })
    if (end.failure !== undefined) return yield* new ReplayFailed({ reason: end.failure })
    yield* Output.note(`Replayed ${count(end.answered, "call")} of task ${taskId}.`)
  }).pipe(Effect.provide(OpenLog.forEvents(log)))

const eventsOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events: Array<Event> = []
    for (let after = 0; ; ) {
      const page = yield* log.readPage({ taskId, after, timeline: log.timeline }, PAGE)
      events.push(...page)
      if (page.length < PAGE) return events
      after = page.at(-1)?.position ?? after
    }
  })
