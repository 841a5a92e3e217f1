/** The commands `hindcast hooks install` and `hindcast hooks uninstall`, which edit the coding agent's settings. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Door from "../../hooks/Door.ts"
import * as HookSettings from "../../hooks/HookSettings.ts"
import * as ClaudeSettings from "../../hooks/install/ClaudeSettings.ts"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import { isAlive } from "../../platform/LiveProcess.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, json, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { attempt } from "./Attempt.ts"

const client = argument("client", "The coding agent: claude-code").pipe(Args.withDefault("claude-code"))

const project = flag("project", "Write the settings of this directory's project. Default: those of this user")

export const install = Command.make(
  "install",
  {
    client,
    project,
    json,
    log: optionalText("log", "The log's file. Default: one for all sessions of this user"),
    gate: optionalText("gate", "A file of gate rules, which decide about each call. Default: every call is let pass"),
    dryRun: flag("dry-run", "Show what would be written, and write nothing"),
  },
  ({ client, project, json, log, gate, dryRun }) =>
    Effect.gen(function* () {
      const file = yield* settingsOf(client, project)
      const before = yield* textOf(file)
      const command = [process.execPath, fileURLToPath(new URL("../../hook.js", import.meta.url)), client] as const
      const after = yield* settled(file, ClaudeSettings.installed(before, command))
      const rules = Option.isNone(gate) ? undefined : yield* HookSettings.accept(path.resolve(gate.value))
      const logFile = Option.isSome(log) ? yield* OpenLog.fileOf(log) : yield* attempt(() => HookSettings.defaultLog())
      if (!dryRun) {
        yield* attempt(() => HookSettings.write({ log: logFile, ...defined({ gate: rules?.accepted }) }))
        yield* attempt(() => replace(file, after))
      }
      const document = {
        client,
        file,
        log: logFile,
        gate: rules?.accepted.file ?? null,
        changed: after !== before,
        dryRun,
        settings: JSON.parse(after) as unknown,
      }
      const door = yield* attempt(() => Door.read())
      const elsewhere = door !== undefined && door.log !== logFile && isAlive(door.pid) ? door : undefined
      yield* Output.show(json, document, () => [
        dryRun
          ? `Would write ${file}:`
          : after === before
            ? `${file} has the hooks already.`
            : `Wrote the hooks to ${file}:`,
        ...(after === before ? [] : ["", ...added(before, after), ""]),
        `Each session is a task in ${logFile}.`,
        ...(elsewhere === undefined
          ? []
          : [`Process ${elsewhere.pid} still records to ${elsewhere.log}: end it, and the next hook starts another.`]),
        rules === undefined
          ? "Every call is let pass and recorded. A file of rules decides about them: --gate FILE."
          : `${rules.accepted.file} decides about each call, as it is now: install again when you have changed it.`,
        ...(dryRun
          ? []
          : [
              `Sessions that are open keep their settings: begin a new one. hindcast task ls --log ${logFile} lists them.`,
            ]),
      ])
    }),
).pipe(Command.withDescription("Record and gate a coding agent: write Hindcast's hooks into its settings"))

export const uninstall = Command.make("uninstall", { client, project, json }, ({ client, project, json }) =>
  Effect.gen(function* () {
    const file = yield* settingsOf(client, project)
    const before = yield* textOf(file)
    const after = yield* settled(file, ClaudeSettings.uninstalled(before))
    if (after !== before) yield* attempt(() => replace(file, after))
    yield* Output.show(json, { client, file, changed: after !== before }, () => [
      after === before
        ? `${file} has no hooks of Hindcast.`
        : `Removed the hooks from ${file}. What was recorded stays.`,
    ])
  }),
).pipe(Command.withDescription("Remove Hindcast's hooks from a coding agent's settings"))

const settingsOf = (client: string, project: boolean): Effect.Effect<string, BadInput> => {
  if (client !== "claude-code") {
    return new BadInput({ input: "the client", expected: "claude-code", found: JSON.stringify(client) })
  }
  const own = process.env.CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), ".claude")
  return Effect.succeed(path.join(project ? path.resolve(".claude") : own, "settings.json"))
}

const textOf = (file: string) => attempt(() => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""))

const settled = (file: string, result: string | ClaudeSettings.Refused): Effect.Effect<string, BadInput> =>
  typeof result === "string"
    ? Effect.succeed(result)
    : new BadInput({ input: file, ...result, advice: "Claude Code ignores such a file as a whole: mend it first." })

/** Replaces the settings atomically: a concurrent reader sees the old file or the new one. */
const replace = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const mode = fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : 0o600
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file
  const partial = AtomicFile.nameFor(target)
  fs.writeFileSync(partial, text, { mode })
  fs.renameSync(partial, target)
}

const added = (before: string, after: string): ReadonlyArray<string> => {
  const known = new Set(before.split("\n"))
  const lines = after.split("\n").filter((line) => line.trim() !== "" && !known.has(line))
  return lines.length <= MOST_LINES
    ? lines.map((line) => `  ${line}`)
    : [
        ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
        `  … and ${lines.length - MOST_LINES} lines more: --json shows all`,
      ]
}

const MOST_LINES = 24
