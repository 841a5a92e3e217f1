/** Opens the recorded files that a command is about: of the task that it names, or of the directory that it runs in. */
import { Effect, Option } from "effect"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import * as Ids from "../command/Ids.ts"

export interface Typed {
  readonly at: Option.Option<string>
  readonly task: Option.Option<string>
}

export const open = (typed: Typed) => Effect.flatMap(find(typed), RecordedFiles.withLooks)

/** Reads no looks but those at the tasks' starts. */
export const find = ({ at, task }: Typed) =>
  Effect.flatMap(taskIdOf(task), (taskId) => RecordedFiles.find({ at: Option.getOrUndefined(at), taskId }))

export const taskIdOf = (task: Option.Option<string>) =>
  Option.isSome(task) ? Ids.task(task.value) : Effect.succeed(undefined)
