/** The commands `hindcast hooks install` and `hindcast hooks uninstall`, which edit a coding agent's settings. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as HeadlessClient from "../../hooks/check/HeadlessClient.ts"
import * as Clients from "../../hooks/clients/Clients.ts"
import * as Door from "../../hooks/Door.ts"
import * as HookSettings from "../../hooks/HookSettings.ts"
import * as CodexTrust from "../../hooks/install/CodexTrust.ts"
import * as Installer from "../../hooks/install/Installer.ts"
import { FileUnreadable } from "../../kernel/rules/YamlFile.ts"
import { isAlive } from "../../platform/LiveProcess.ts"
import { defined } from "../../values/defined.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { flag, json, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"
import * as WhatIsRecorded from "../pages/files/WhatIsRecorded.ts"
import { attempt, attemptUntilAborted, failureOf } from "./Attempt.ts"
import * as CheckCommand from "./CheckCommand.ts"
import * as HookPlaces from "./HookPlaces.ts"

/** The hooks are in the settings, and the client does not run them. */
class HooksNotInForce extends Data.TaggedError("HooksNotInForce")<{
  readonly client: string
  readonly reason: string
  readonly advice: string
}> {
  override get message() {
    return `The hooks of ${this.client} were written but are not in force: ${this.reason}. ${this.advice}`
  }
}

const { client, project } = HookPlaces

/** Accepts a file of rules. If there is none, the error says how to start one from the example. */
const accepted = (file: string) =>
  Effect.catchIf(HookSettings.accept(file), isMissing, () => {
    const copied = [PackageFiles.inPackage("examples", "gate", "hindcast.gate.yaml"), file]
    const copy = ["cp", ...copied.map((name) => quoteWord(CommandHints.shortest(name)))].join(" ")
    const reason = `expected a file of gate rules, found none. Start from the example: \`${copy}\``
    return new FileUnreadable({ file, missing: true, reason })
  })

const isMissing = (error: { readonly _tag: string; readonly missing?: boolean }): boolean => error.missing === true

export const install = Command.make(
  "install",
  {
    client,
    project,
    json,
    log: optionalText("log", "The log. Default: one for all sessions of this user"),
    gate: optionalText("gate", "A file of gate rules that decide about each call. Default: all calls pass"),
    noFiles: flag("no-files", "Do not record the files of a session's directory"),
    dryRun: flag("dry-run", "Show the changes without writing them"),
    noCheck: flag("no-check", "Do not run the agent against a scripted model to see that the hooks hold"),
  },
  ({ client: name, project, json, log, gate, noFiles, dryRun, noCheck }) =>
    Effect.gen(function* () {
      const installer = yield* HookPlaces.installerOf(name)
      const title = Clients.named(name)?.title ?? name
      const file = installer.file(HookPlaces.placeOf(project))
      const before = yield* HookPlaces.textOf(file)
      const after = (yield* settled(file, title, installer.installed(before, HookPlaces.commandOf(name)))) ?? ""
      const rules = Option.isNone(gate) ? undefined : yield* accepted(path.resolve(gate.value))
      const { open, name: logFile } = Option.isSome(log) ? yield* OpenLog.placeOf(log) : yield* defaultPlace
      const isElsewhere = ServerUrl.isAddress(open)
      if (!dryRun) {
        yield* attempt(() =>
          HookSettings.write({
            log: open,
            ...defined({ gate: rules?.accepted, files: noFiles ? false : undefined }),
          }),
        )
        if (after !== before) yield* attempt(() => HookPlaces.replace(file, before, after))
        if (name === "codex") yield* trustCodex(file, project)
      }
      const check = dryRun || noCheck ? "not checked" : yield* checkOf(name, json)
      const document = {
        client: name,
        file,
        log: logFile,
        gate: rules?.accepted.file ?? null,
        files: !noFiles && !isElsewhere,
        changed: after !== before,
        dryRun,
        check,
        settings: settingsOf(after),
        limits: installer.limits,
      }
      const door = yield* attempt(() => Door.read())
      const elsewhere = door !== undefined && door.log !== logFile && isAlive(door.pid) ? door : undefined
      yield* Output.show(json, document, () => [
        after === before
          ? `${file} already has the hooks.`
          : `${dryRun ? "Would write" : "Wrote"} the hooks to ${file}:`,
        ...(after === before ? [] : ["", ...added(before, after), ""]),
        ...(name === "codex" && !dryRun ? ["Codex trusts them: their hashes are in its own settings."] : []),
        ...(dryRun || noCheck ? [] : [`Checked: ${check}.`]),
        `Each session is a task in ${logFile}.`,
        noFiles || isElsewhere ? notFiles(isElsewhere) : filesIn(logFile),
        ...(elsewhere === undefined
          ? []
          : [`Process ${elsewhere.pid} still records to ${elsewhere.log}: end it, and the next hook starts another.`]),
        rules === undefined
          ? "All calls pass and are recorded. To decide which ones run, give a file of rules with --gate FILE."
          : `${rules.accepted.file} decides which calls run, with its current rules. After changing the file, install again.`,
        ...(dryRun
          ? []
          : [
              `Open sessions keep their old settings, so start a new one. ${CommandHints.command(["task", "ls", "--log", logFile])} lists the sessions.`,
              `${CommandHints.command(["hooks", "status"])} shows what the hooks enforce, and what they do not see.`,
            ]),
      ])
    }),
).pipe(Command.withDescription("Record and gate a coding agent: write Hindcast's hooks into its settings"))

const defaultPlace = Effect.map(
  attempt(() => HookSettings.defaultLog()),
  (file) => ({ open: file, name: file }),
)

const notFiles = (isElsewhere: boolean): string =>
  `The files of a session's directory are not recorded${isElsewhere ? ": their contents would be next to the log, which is on a server" : ""}.`

const filesIn = (log: string): string =>
  `${WhatIsRecorded.sentence("The files of a session's directory", log)} ${WhatIsRecorded.NO_FILES}`

export const uninstall = Command.make("uninstall", { client, project, json }, ({ client: name, project, json }) =>
  Effect.gen(function* () {
    const installer = yield* HookPlaces.installerOf(name)
    const file = installer.file(HookPlaces.placeOf(project))
    const before = yield* HookPlaces.textOf(file)
    const after = yield* settled(file, Clients.named(name)?.title ?? name, installer.uninstalled(before))
    if (after !== before) yield* attempt(() => HookPlaces.replace(file, before, after))
    yield* Output.show(json, { client: name, file, changed: after !== before }, () => [
      after === before
        ? `${file} has no hooks of Hindcast.`
        : `Removed the hooks from ${file}. The recorded sessions stay.`,
    ])
  }),
).pipe(Command.withDescription("Remove Hindcast's hooks from a coding agent's settings"))

/** Checks the hooks where the client can be run here. Fails if they do not hold. */
const checkOf = (name: string, json: boolean) =>
  HeadlessClient.named(name) === undefined
    ? Effect.succeed("no, this agent cannot run unattended")
    : CheckCommand.checked(name, json).pipe(
        Effect.as("a denied call does not run, and without a hook server none does"),
        Effect.catchTag("ClientMissing", ({ program }) => Effect.succeed(`no, ${program} is not on the PATH`)),
      )

const trustCodex = (file: string, project: boolean) =>
  attemptUntilAborted(
    (signal) =>
      CodexTrust.trust({
        directory: process.cwd(),
        file,
        command: Installer.lineOf(HookPlaces.commandOf("codex")),
        signal,
      }),
    (cause) => new HooksNotInForce({ client: "Codex", reason: failureOf(cause).reason, advice: CODEX_ADVICE }),
  ).pipe(
    Effect.flatMap(({ found, trusted }) =>
      found > 0 && trusted === found
        ? Effect.void
        : new HooksNotInForce({
            client: "Codex",
            reason:
              found === 0
                ? `Codex does not list them${project ? ": it does not trust this project" : ""}`
                : `Codex trusts ${trusted} of ${found}`,
            advice: CODEX_ADVICE,
          }),
    ),
  )

const CODEX_ADVICE =
  "Start codex in this directory, trust the project and its hooks there (/hooks), and run `hindcast hooks status`."

const settled = (
  file: string,
  title: string,
  result: string | undefined | Installer.Refused,
): Effect.Effect<string | undefined, BadInput> =>
  result === undefined || typeof result === "string"
    ? Effect.succeed(result)
    : new BadInput({ input: file, ...result, advice: `${title} ignores such a file entirely: fix it first.` })

/** The settings as a document; a plugin's text as it is. */
const settingsOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The lines of `after` that `before` lacks. */
const added = (before: string, after: string): ReadonlyArray<string> => {
  const known = new Set(before.split("\n"))
  const lines = after.split("\n").filter((line) => line.trim() !== "" && !known.has(line))
  return lines.length <= MOST_LINES
    ? lines.map((line) => `  ${line}`)
    : [
        ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
        `  … and ${lines.length - MOST_LINES} more lines: --json shows all`,
      ]
}

const MOST_LINES = 24
