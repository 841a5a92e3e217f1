/** Validates ids of tasks that callers choose. */

import { Data, Effect } from "effect"
import { quoteWord } from "../../values/ShellWord.ts"
import { KERNEL } from "../instances/Instance.ts"

/** The id is not valid for a task. Choose another. */
export class TaskIdInvalid extends Data.TaggedError("TaskIdInvalid")<{ readonly taskId: string }> {
  override get message() {
    return (
      `Task id ${JSON.stringify(this.taskId).slice(0, MAX_LENGTH)}: expected 1 to ${MAX_LENGTH} of the characters A-Z, a-z, 0-9, ".", "_" and "-", ` +
      `the first a letter or digit, not all of them digits, and not "${KERNEL}"`
    )
  }
}

/** The log has a task with this id. Choose another id, or resume that task. */
export class TaskIdTaken extends Data.TaggedError("TaskIdTaken")<{
  readonly taskId: string
  /** The position of the event that uses the id. */
  readonly position: number
}> {
  override get message() {
    return `Task id "${this.taskId}": expected an unused id, found it at @${this.position}. \`hindcast audit ${quoteWord(this.taskId)}\` shows that task.`
  }
}

/**
 * The characters need no quoting in a shell, a path or a JSON Pointer. Not digits alone: JavaScript moves such keys to
 * the front of an object.
 */
export const checked = (taskId: string): Effect.Effect<string, TaskIdInvalid> =>
  PATTERN.test(taskId) && !/^\d+$/.test(taskId) && taskId !== KERNEL
    ? Effect.succeed(taskId)
    : new TaskIdInvalid({ taskId })

const MAX_LENGTH = 100
const PATTERN = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_LENGTH - 1}}$`)
