/** Options that the commands about recorded files share. */
import { argument, json, MOMENT, optionalText } from "../command/CommonOptions.ts"
import { log } from "../command/HooksLog.ts"

export const common = { log, json }

export const at = optionalText("at", `The moment: ${MOMENT}. Default: now`)

export const task = optionalText(
  "task",
  "Only this task's recording. Default: the recordings of all tasks that worked in the working directory",
)

export const file = argument("file", "The file's path, relative to the working directory or to the workspace's root")
