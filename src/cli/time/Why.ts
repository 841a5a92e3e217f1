/** The command `hindcast why`: why a task failed, or why an event happened. */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import type * as Moment from "../../events/read/Moment.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import * as WhyFailed from "../../projections/explanation/WhyFailed.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, MOMENT, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as WhyLines from "../pages/explanation/WhyLines.ts"

const options = {
  ...common,
  subject: argument("subject", `A task or an event. ${TASK}; or ${MOMENT}`),
  timeline: TimelineOption.timeline,
}

export const why = Command.make("why", options, ({ log, json, subject, timeline }) =>
  Effect.gen(function* () {
    const chain = yield* (yield* TimeTravel).why(subject).pipe(
      Effect.map(Option.some),
      Effect.catchTags({
        MomentInvalid: (invalid) => Effect.as(taskOr(subject, invalid), Option.none()),
        // A task's id may look like an event's.
        EventNotFound: (missing) => Effect.as(taskOr(subject, missing), Option.none()),
      }),
    )
    if (Option.isNone(chain)) return yield* explain(json, yield* Ids.task(subject))
    if (Option.isSome(timeline)) return yield* timelineOfEvent(timeline.value)
    yield* Output.show(json, { chain: chain.value }, (style) => EventPage.chain(style, chain.value))
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forPast(log))),
).pipe(
  Command.withDescription(
    "Why a task failed: one sentence, and the events behind it. Or why an event happened: its causes, newest first",
  ),
)

/** The id of the task, if the text names one; otherwise it is no moment either. */
const taskOr = (typed: string, otherwise: Moment.MomentInvalid | Moment.EventNotFound) =>
  Effect.catchTag(Ids.task(typed), "TaskNotFound", () => Effect.fail(otherwise))

const explain = (json: boolean, taskId: string) =>
  Effect.gen(function* () {
    const found = yield* WhyFailed.load(taskId, { activity: yield* TaskPresent.of(taskId) })
    yield* Output.show(json, found, (style) => WhyLines.lines(style, found))
  })

const timelineOfEvent = (name: string) =>
  new BadInput({
    input: `--timeline ${name}`,
    expected: "a task with it",
    found: "an event",
    advice: "A position names its own timeline, as in fork-1@412.",
  })
