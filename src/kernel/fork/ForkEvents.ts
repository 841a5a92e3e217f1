/** The events that start a fork. */

import { Effect } from "effect"
import type { AppendError, CoreNewEvent, EventLog } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { Draft, DraftTimelines } from "../context/DraftTimelines.ts"
import type * as DecisionPoint from "../replay/DecisionPoint.ts"
import * as TimelineName from "./TimelineName.ts"

export interface Begun {
  readonly view: EventLog.Service
  readonly forkedBy: string
  readonly draft: Draft
}

/** The fork's name, if chosen, the person who asked for it, if known, and what it overrides. */
export interface Beginning {
  readonly chosenName: string | undefined
  readonly by: string | undefined
  readonly overrides: JsonObject
}

/** Begins a fork under an unused name. The log has nothing of it until its draft is committed. */
export const begin = (
  drafts: DraftTimelines,
  parent: EventLog.Service,
  point: DecisionPoint.Point,
  beginning: Beginning,
  excluded: ReadonlyArray<string> = [],
): Effect.Effect<Begun, TimelineName.TimelineNameInvalid | AppendError> =>
  Effect.gen(function* () {
    const { log } = drafts
    const { recording, at } = point
    const { chosenName, by, overrides } = beginning
    const known = [...(yield* Timelines.list(log)).map(({ name }) => name), ...drafts.names(), ...excluded]
    const timeline =
      chosenName === undefined ? TimelineName.next(known) : yield* TimelineName.checked(chosenName, known)
    const isUsed = (yield* log.versionOf(streamOf(timeline), timeline)) > 0
    const draft = isUsed ? undefined : yield* drafts.begin(timeline)
    if (draft === undefined) return yield* begin(drafts, parent, point, beginning, [...excluded, timeline])
    const [shared] = yield* parent.readPage({ timeline: parent.timeline, after: at - 1, until: at }, 1)
    const forkedBy = newId()
    const forked: CoreNewEvent = {
      type: "TimelineForked",
      id: forkedBy,
      causationId: shared?.id ?? recording.opened.id,
      payload: { timeline, parent: parent.timeline, at, overrides },
    }
    const view = Timelines.view(log, Timelines.branch(parent, timeline, at))
    return yield* view
      .append({
        stream: streamOf(timeline),
        taskId: recording.taskId,
        actor: by === undefined ? "kernel" : `human:${by}`,
        events: [forked],
      })
      .pipe(
        Effect.as({ view, forkedBy, draft }),
        Effect.tapErrorCause(() => draft.discard),
      )
  })

export const commit = ({ draft, view }: Begun): Effect.Effect<void, TimelineName.TimelineNameInvalid | AppendError> =>
  draft.commit.pipe(
    Effect.mapError((error) =>
      error._tag === "VersionConflict" && error.stream === streamOf(view.timeline)
        ? TimelineName.taken(view.timeline)
        : error,
    ),
  )

export const consequence = ({ draft, view }: Begun): string =>
  draft.isCommitted() ? `Timeline ${view.timeline} was closed.` : "Nothing of the fork was recorded."

const streamOf = (timeline: string) => `timeline/${timeline}`

/** Withdraws pending confirmations in the fork. A command that still needs one asks again. */
export const withdrawQuestions = (
  view: EventLog.Service,
  { recording, questions }: DecisionPoint.Point,
  causationId: string,
) =>
  Effect.forEach(
    questions,
    (confirmationId) =>
      view.append({
        stream: `confirmation/${confirmationId}`,
        taskId: recording.taskId,
        actor: "kernel",
        events: [
          {
            type: "ConfirmationWithdrawn",
            causationId,
            payload: { confirmationId, reason: "the task was forked before that" },
          },
        ],
      }),
    { discard: true },
  )

/** Denies pending commands in the fork: a fresh agent did not request them. */
export const denyPending = (recorder: Recorder, { left }: DecisionPoint.Point, causationId: string) =>
  Effect.forEach(
    left,
    ({ commanded }) => {
      const { commandId } = commanded.payload
      const reason = "the task was forked before that"
      return recorder.record({ type: "CommandDenied", causationId, payload: { commandId, rule: "fork", reason } })
    },
    { discard: true },
  )
