/** Parses the runs that `align` compares: a task, a timeline, or a task on a timeline. */
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Run } from "../../projections/timetravel/TimeTravel.ts"
import * as Ids from "./Ids.ts"

/** The notations of a run, for help texts. */
export const RUN = "a task, a timeline, or a task on a timeline (fork-1@TASK)"

/**
 * The run that `text` refers to: a timeline of the log, else a task by its id or a part of it. `TIMELINE@TASK` names a
 * task on a timeline.
 */
export const named = (text: string, onlyTask: Option.Option<string>) =>
  Effect.gen(function* () {
    const known = yield* Timelines.list(yield* EventLog)
    const isTimeline = known.some(({ name }) => name === text)
    const at = text.lastIndexOf("@")
    const timeline = isTimeline ? text : at > 0 ? text.slice(0, at) : undefined
    const task = isTimeline ? Option.getOrUndefined(onlyTask) : text.slice(at + 1)
    return {
      ...(timeline === undefined ? {} : { timeline }),
      ...(task === undefined ? {} : { taskId: yield* taskId(task, timeline) }),
    } satisfies Run
  })

const taskId = (text: string, timeline: string | undefined) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = timeline === undefined ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(Ids.task(text), EventLog, view)
  })
