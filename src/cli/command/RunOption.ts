/** Parses the runs that `align` compares: a task, a timeline, or a task on a timeline. */
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import type { RunSelector } from "../../projections/timetravel/TimeTravel.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { defined } from "../../values/defined.ts"
import * as Ids from "./Ids.ts"

export const RUN = "a task, a timeline, or a task on a timeline (fork-1@TASK)"

/**
 * The run that `text` names: a timeline, else a task by its id or a part of it. `TIMELINE@TASK` names a task on a
 * timeline.
 */
export const named = (text: string, onlyTask: Option.Option<string>) =>
  Effect.gen(function* () {
    const known = yield* Timelines.list(yield* EventLog)
    const isTimeline = known.some(({ name }) => name === text)
    const at = text.lastIndexOf("@")
    const timeline = isTimeline ? text : at > 0 ? text.slice(0, at) : undefined
    const task = isTimeline ? Option.getOrUndefined(onlyTask) : text.slice(at + 1)
    return {
      ...defined({ timeline }),
      ...(task === undefined ? {} : { taskId: yield* taskId(task, timeline).pipe(orNoRun(text, known)) }),
    } satisfies RunSelector
  })

export class NoSuchRun extends Data.TaggedError("NoSuchRun")<{
  readonly run: string
  readonly timelines: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<string>
}> {
  override get message() {
    const listed = this.timelines.slice(0, MAX_LISTED).join(", ")
    const more = this.timelines.length > MAX_LISTED ? ` and ${this.timelines.length - MAX_LISTED} more` : ""
    const near = [...DidYouMean.similarNames(this.run, this.timelines), ...this.tasks]
    return `No timeline and no task "${this.run}" is in this log. Timelines: ${listed}${more}.${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`} \`hindcast task ls\` lists the tasks.`
  }
}

const MAX_LISTED = 20

/** A text without `@` may also name a timeline. */
const orNoRun =
  (text: string, known: ReadonlyArray<Timelines.Timeline>) =>
  <A, E, R>(found: Effect.Effect<A, E | TaskNotFound, R>) =>
    Effect.mapError(found, (error) =>
      error instanceof TaskNotFound && !text.includes("@")
        ? new NoSuchRun({ run: text, timelines: known.map(({ name }) => name), tasks: error.near ?? [] })
        : error,
    )

const taskId = (text: string, timeline: string | undefined) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = timeline === undefined ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(Ids.task(text), EventLog, view)
  })
