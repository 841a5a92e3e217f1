/** Options that the commands about recorded files share. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Option } from "effect"
import * as HookLog from "../../hooks/HookLog.ts"
import { argument, json, MOMENT, optionalText } from "../command/CommonOptions.ts"

/** Where no log is named and the working directory has none, the sessions that hooks recorded are asked about. */
const orOfHooks = (log: Option.Option<string>): Option.Option<string> => {
  const isElsewhere = Option.isSome(log) || process.env.HINDCAST_LOG || fs.existsSync(path.join(".hindcast", "log.db"))
  return isElsewhere ? log : Option.fromNullable(HookLog.existing())
}

const log = optionalText(
  "log",
  "The log's file. Default: HINDCAST_LOG, else .hindcast/log.db, else the log that `hooks install` chose",
).pipe(Options.map(orOfHooks))

export const common = { log, json }

export const at = optionalText("at", `The moment: ${MOMENT}. Default: now`)

export const task = optionalText(
  "task",
  "Only this task's recording. Default: the recordings of all tasks that worked in the working directory",
)

export const file = argument("file", "The file's path, relative to the working directory or to the workspace's root")
