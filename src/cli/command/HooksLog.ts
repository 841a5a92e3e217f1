/**
 * Decides when a command reads the log of the hooks. If no log is named (`--log`, `HINDCAST_LOG`):
 * - without `.hindcast/log.db` in the directory, a command that reads a log takes the hooks' log, and says so;
 * - otherwise, it takes the directory's log. If something is missing there, the error names the command that asks the
 *   hooks' log.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as HookLog from "../../hooks/HookLog.ts"
import * as CommandHints from "./CommandHints.ts"
import { optionalText } from "./CommonOptions.ts"
import * as Output from "./Output.ts"

const PROJECT = path.join(".hindcast", "log.db")

const isNamed = (): boolean =>
  CommandHints.typedLog(process.argv.slice(2)) !== undefined || Boolean(process.env.HINDCAST_LOG)

/** The log to read: the hooks' if none is named and the directory has none. */
export const orOfHooks = (log: Option.Option<string>): Option.Option<string> =>
  Option.isSome(log) || isNamed() || fs.existsSync(PROJECT) ? log : Option.fromNullable(HookLog.existing())

/** The option `--log` of commands about sessions of coding agents that may also write to the log. */
export const log = optionalText(
  "log",
  "The log's file. Default: HINDCAST_LOG, else .hindcast/log.db, else the log that `hooks install` chose",
).pipe(Options.map(orOfHooks))

let isSaid = false

/** Says once that a command is about the hooks' log, if nobody named it. */
export const say = (filename: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (isSaid || isNamed() || fs.existsSync(PROJECT) || filename !== HookLog.existing()) return Effect.void
    isSaid = true
    return Output.note(`The log is that of the hooks: ${ServerUrl.nameOf(filename)}`)
  })

/** The typed command, for the hooks' log; undefined if a log was named, or if there is no other. */
export const sameCommand = (): string | undefined => {
  const hooks = isNamed() || !fs.existsSync(PROJECT) ? undefined : HookLog.existing()
  if (hooks === undefined) return undefined
  if (!ServerUrl.isAddress(hooks) && path.resolve(hooks) === path.resolve(PROJECT)) return undefined
  const words = process.argv.slice(2)
  const end = words.indexOf("--")
  const own = end < 0 ? words : words.slice(0, end)
  return CommandHints.command([...own, "--log", hooks, ...(end < 0 ? [] : words.slice(end))])
}

/** A sentence with that command, if there is one. */
export const hint = (): ReadonlyArray<string> => {
  const command = sameCommand()
  return command === undefined ? [] : [`This is about ${PROJECT}. For the sessions that hooks recorded: \`${command}\``]
}
