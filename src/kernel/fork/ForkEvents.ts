/** The events that start a fork. */

import { type Context, Effect } from "effect"
import type { AppendError, CoreNewEvent } from "../../events/log/EventLog.ts"
import { type EventLog, NoStream } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"
import type * as DecisionPoint from "../replay/DecisionPoint.ts"
import * as TimelineName from "./TimelineName.ts"

type Log = Context.Tag.Service<EventLog>

/** Records the fork under an unused name. Returns the log's view of the new timeline, and the event's id. */
export const begin = (
  log: Log,
  parent: Log,
  point: DecisionPoint.Point,
  chosenName: string | undefined,
  overrides: JsonObject,
  excluded: ReadonlyArray<string> = [],
): Effect.Effect<{ readonly view: Log; readonly forkedBy: string }, TimelineName.TimelineNameInvalid | AppendError> =>
  Effect.gen(function* () {
    const { recording, at } = point
    const known = [...(yield* Timelines.list(log)).map(({ name }) => name), ...excluded]
    const timeline =
      chosenName === undefined ? TimelineName.next(known) : yield* TimelineName.checked(chosenName, known)
    const [shared] = yield* parent.readPage({ timeline: parent.timeline, after: at - 1, until: at }, 1)
    const forkedBy = newId()
    const forked: CoreNewEvent = {
      type: "TimelineForked",
      id: forkedBy,
      causationId: shared?.id ?? recording.opened.id,
      payload: { timeline, parent: parent.timeline, at, overrides },
    }
    const request = { timeline, stream: `timeline/${timeline}`, taskId: recording.taskId, actor: "kernel" }
    return yield* log.append({ ...request, expected: NoStream, events: [forked] }).pipe(
      Effect.zipRight(Timelines.named(log, timeline)),
      Effect.map((named) => ({ view: Timelines.view(log, named), forkedBy })),
      // The timeline was just recorded.
      Effect.catchTag("TimelineNotFound", (error) => Effect.die(error)),
      // Another fork took the name at the same time, or another event is in its stream.
      Effect.catchTag("VersionConflict", () =>
        begin(log, parent, point, chosenName, overrides, [...excluded, timeline]),
      ),
    )
  })

/**
 * Ends, in the fork, the commands and confirmations that were pending. If the agent requests the commands again, they
 * need new confirmations.
 */
export const endWaiting = (
  view: Log,
  recorder: Recorder,
  { recording, waiting, questions }: DecisionPoint.Point,
  causationId: string,
) =>
  Effect.gen(function* () {
    const { taskId } = recording
    const reason = "the task was forked before that"
    for (const confirmationId of questions) {
      yield* view.append({
        ...{ stream: `confirmation/${confirmationId}`, taskId, actor: "kernel" },
        events: [{ type: "ConfirmationWithdrawn", causationId, payload: { confirmationId, reason } }],
      })
    }
    for (const commandId of waiting) {
      yield* recorder.record({ type: "CommandDenied", causationId, payload: { commandId, rule: "fork", reason } })
    }
  })

/** Records that the agent, while it was led, asked models something else than was recorded. */
export const noteOtherQuestions = (recorder: Recorder, forkedBy: string, positions: ReadonlyArray<number>) =>
  positions.length === 0
    ? Effect.void
    : recorder.record({
        type: "NoteAdded",
        causationId: forkedBy,
        payload: {
          about: "fork",
          text: `Up to the fork, its agent asked another model, or something else, than was recorded ${positions.map((position) => `@${position}`).join(", ")}. It got the recorded answers.`,
        },
      })
