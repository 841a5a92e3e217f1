/** Options that the commands about recorded files share. */
import { argument, MOMENT, optionalText } from "../command/CommonOptions.ts"

export const at = optionalText("at", `The moment: ${MOMENT}. Default: now`)

export const task = optionalText(
  "task",
  "Only what this task recorded. Default: all tasks in the same directory as the working directory",
)

export const file = argument("file", "The file's path, relative to the working directory or to the workspace's root")
