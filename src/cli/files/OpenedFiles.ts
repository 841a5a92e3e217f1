/** Opens the recorded files for a command: those of the task that it names, or of the directory that it runs in. */
import { Effect, Option } from "effect"
import * as Formats from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import * as Ids from "../command/Ids.ts"
import * as Output from "../command/Output.ts"

export interface Typed {
  readonly at: Option.Option<string>
  readonly task: Option.Option<string>
}

export const open = (typed: Typed) => Effect.flatMap(find(typed), RecordedFiles.withLooks)

/** Reads only the looks at the tasks' starts. */
export const find = ({ at, task }: Typed) =>
  Effect.gen(function* () {
    const taskId = yield* taskIdOf(task)
    const found = yield* RecordedFiles.find({ at: Option.getOrUndefined(at), taskId })
    yield* warn(found)
    return found
  })

/** Says that later changes than those of the last snapshot are unknown. */
export const warn = ({ stopped }: Pick<RecordedFiles.Opened, "stopped">) =>
  stopped === undefined
    ? Effect.void
    : Output.note(
        `warning: no snapshot was taken since ${Formats.at(stopped.at)}, and later changes are unknown: ${oneLine(stopped.reason)}`,
      )

export const taskIdOf = (task: Option.Option<string>) =>
  Option.isSome(task) ? Ids.task(task.value) : Effect.succeed(undefined)
