/** The command `hindcast why`: why a task failed, or why an event happened. */
import { Command } from "@effect/cli"
import { Effect, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type * as Moment from "../../events/read/Moment.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import * as CausePicture from "../../projections/explanation/CausePicture.ts"
import { type ChainPicture, drawChain, ofFailure } from "../../projections/explanation/drawChain.ts"
import * as Passage from "../../projections/explanation/Passage.ts"
import * as WhyFailed from "../../projections/explanation/WhyFailed.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, MOMENT, optionalText, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as OutputFile from "../export/OutputFile.ts"
import * as OutputFormat from "../export/OutputFormat.ts"
import * as EventPage from "../pages/events/EventPage.ts"
import * as PassageLines from "../pages/explanation/PassageLines.ts"
import * as WhyLines from "../pages/explanation/WhyLines.ts"
import type { Style } from "../terminal/Style.ts"
import { size } from "../terminal/Text.ts"

const options = {
  ...common,
  subject: argument("subject", `A task or an event. ${TASK}; or ${MOMENT}`),
  timeline: TimelineOption.timeline,
  svg: optionalText("svg", "Also write the chain as an SVG image, to paste into an issue; - is the standard output"),
  force: flag("force", "Replace the image's file if it exists"),
  decrypt: OpenLog.decrypt,
}

export const why = Command.make("why", options, ({ log, json, subject, timeline, svg, force, decrypt }) =>
  Effect.gen(function* () {
    if (Option.isSome(svg)) yield* OutputFormat.check("--svg", svg.value, "svg")
    else if (force || decrypt) return yield* withoutImage(force)
    const printed = <A>(value: A, picture: () => ChainPicture, lines: (style: Style) => ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (Option.isNone(svg)) return yield* Output.show(json, value, lines)
        const file = svg.value
        const image = Stream.make(drawChain(picture()))
        const written = yield* OutputFile.writeAll({ file, force, log: (yield* EventLog).name }, image)
        if (file === "-") return
        yield* Output.show(json, { ...value, svg: written }, (style) => [
          ...lines(style),
          `Written as an image to ${written.file} (${size(written.bytes)}).`,
        ])
      })
    const chain = yield* (yield* TimeTravel).why(subject).pipe(
      Effect.map(Option.some),
      Effect.catchTags({
        MomentInvalid: (invalid) => Effect.as(taskOr(subject, invalid), Option.none()),
        // A task's id may look like an event's.
        EventNotFound: (missing) => Effect.as(taskOr(subject, missing), Option.none()),
      }),
    )
    if (Option.isNone(chain)) {
      const taskId = yield* Ids.task(subject)
      const found = yield* WhyFailed.load(taskId, { activity: yield* TaskPresent.of(taskId) })
      return yield* printed(
        found,
        () => ofFailure(found),
        (style) => WhyLines.lines(style, found),
      )
    }
    if (Option.isSome(timeline)) return yield* timelineOfEvent(timeline.value)
    const causes = chain.value
    const passage = yield* Passage.of(yield* EventLog, causes)
    yield* printed(
      { chain: causes, ...defined({ passage }) },
      () => CausePicture.of(causes),
      (style) => [...EventPage.chain(style, causes), ...PassageLines.lines(style, passage)],
    )
  }).pipe(
    TimelineOption.provide(timeline),
    Effect.provide(
      // The holder of the keys looks; a file is for others.
      Option.isNone(svg)
        ? OpenLog.forPastSharing(log, { decrypted: true })
        : OpenLog.forPastSharing(log, { decrypted: decrypt }),
    ),
  ),
).pipe(
  Command.withDescription(
    "Why a task failed: one sentence, and the events behind it. Or why an event happened: its causes, newest first",
  ),
)

/** The id of the task, if the text names one; otherwise it is no moment either. */
const taskOr = (typed: string, otherwise: Moment.MomentInvalid | Moment.EventNotFound) =>
  Effect.catchTag(Ids.task(typed), "TaskNotFound", () => Effect.fail(otherwise))

const withoutImage = (force: boolean) =>
  new BadInput({ input: force ? "--force" : "--decrypt", expected: "--svg FILE with it", found: "none" })

const timelineOfEvent = (name: string) =>
  new BadInput({
    input: `--timeline ${name}`,
    expected: "a task with it",
    found: "an event",
    advice: "A position names its own timeline, as in fork-1@412.",
  })
