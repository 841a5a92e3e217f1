import { Data, Effect } from "effect"
import { KERNEL } from "../instances/Instance.ts"

/** Choose another id: this one cannot be a task's. */
export class TaskIdInvalid extends Data.TaggedError("TaskIdInvalid")<{ readonly taskId: string }> {
  override get message() {
    return (
      `Task id ${JSON.stringify(this.taskId).slice(0, LONGEST)}: expected 1 to ${LONGEST} of the characters A-Z, a-z, 0-9, ".", "_" and "-", ` +
      `the first a letter or digit, not all of them digits, and not "${KERNEL}"`
    )
  }
}

/** Choose another id, or go on with the task that has this one: it is in the log already. */
export class TaskIdTaken extends Data.TaggedError("TaskIdTaken")<{
  readonly taskId: string
  /** Where the log says so. */
  readonly position: number
}> {
  override get message() {
    return `Task id "${this.taskId}": expected one that no task of this log has, found it taken at @${this.position}. \`hindcast audit ${this.taskId}\` shows that task.`
  }
}

/**
 * Checks an id that a caller chose for a task. What it may say needs no quoting in a shell, a path or a JSON Pointer, and
 * keeps its place among the keys of a record, which digits alone would not.
 */
export const checked = (taskId: string): Effect.Effect<string, TaskIdInvalid> =>
  FORM.test(taskId) && !/^\d+$/.test(taskId) && taskId !== KERNEL
    ? Effect.succeed(taskId)
    : new TaskIdInvalid({ taskId })

const LONGEST = 100
const FORM = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${LONGEST - 1}}$`)
