/** The option `--log` of commands about sessions of coding agents: by default the log that their hooks write to. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Option } from "effect"
import * as HookLog from "../../hooks/HookLog.ts"
import { optionalText } from "../command/CommonOptions.ts"

/** Where no log is named and the working directory has none, the sessions that hooks recorded are asked about. */
const orOfHooks = (log: Option.Option<string>): Option.Option<string> => {
  const isElsewhere = Option.isSome(log) || process.env.HINDCAST_LOG || fs.existsSync(path.join(".hindcast", "log.db"))
  return isElsewhere ? log : Option.fromNullable(HookLog.existing())
}

export const log = optionalText(
  "log",
  "The log's file. Default: HINDCAST_LOG, else .hindcast/log.db, else the log that `hooks install` chose",
).pipe(Options.map(orOfHooks))
