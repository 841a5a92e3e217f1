/** The commands `hindcast log backup` and `restore`: copies of a whole log, even while a kernel writes to it. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { LogCopied } from "../../events/copying/copy.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import type { Copied, CopyError, CopyOptions } from "../../events/maintenance/Backup.ts"
import * as WholeFile from "../../events/sqlite/wholeFile.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import type { Style } from "../terminal/Style.ts"
import { at, count } from "../terminal/Text.ts"

const options = {
  ...common,
  withKeys: flag(
    "with-keys",
    "Also copy the keys of personal data. Everybody with the copy can then read the personal fields",
  ),
  replace: flag("replace", "Replace existing files of that name"),
}

type Copying = (options: CopyOptions) => Effect.Effect<Copied, CopyError>

const copied = (copy: Copying, json: boolean, given: CopyOptions) =>
  ProgressLine.during({ verb: "copied", unit: "pages", json }, (onProgress) =>
    copy({ ...given, onPages: (done, of) => Effect.runSync(onProgress(done, of)) }),
  )

const lines = (style: Style, done: string, { file, head, events, bytes, segments, plugins, keys, files }: Copied) => [
  `${style.good(done)} ${count(events, "event")}, head ${at(head.position)} ${style.dim(head.hash)}, ${count(bytes, "byte")}, in ${file}; verified.`,
  `With it: ${[count(segments.length, "segment"), ...(plugins ? ["the plugins' copies"] : []), ...(files ? ["the contents of recorded files"] : []), ...(keys ? ["the keys of personal data"] : [])].join(", ")}.`,
]

export const backup = Command.make(
  "backup",
  {
    ...options,
    file: argument("file", "The backup's file. Its other files take their names from it, such as FILE.segments"),
  },
  ({ log, json, file, withKeys, replace }) =>
    Effect.gen(function* () {
      const url = yield* OpenLog.serverOf(log)
      const given = { to: path.resolve(file), withKeys, replace }
      const found = yield* url === undefined
        ? Effect.flatMap(OpenLog.existing(log), (from) => copied(WholeFile.backup, json, { ...given, from }))
        : backedUpFromServer(json, { ...given, from: url })
      yield* Output.show(json, found, (style) => [
        ...lines(style, "Backed up", found),
        `If the log is lost: ${restoring(url, found)}`,
      ])
    }),
).pipe(Command.withDescription("Copy the log with all its files, even while a kernel writes, and verify the copy"))

const restoring = (url: string | undefined, { file, keys }: Copied): string => {
  const words = ["log", "restore", file, ...(keys ? ["--with-keys"] : [])]
  return CommandHints.shellCommand(
    CommandHints.written(...words, ...(url === undefined ? [] : ["--log", ServerUrl.shown(url)])),
  )
}

const servers = Effect.promise(() => import("../../events/copying/serverBackup.ts"))

const backedUpFromServer = (json: boolean, given: Omit<CopyOptions, "onPages">) =>
  Effect.flatMap(servers, ({ backup }) =>
    ProgressLine.during({ verb: "copied", unit: "events", json }, (onEvents) => backup({ ...given, onEvents })),
  )

export const restore = Command.make(
  "restore",
  { ...options, backup: argument("backup", "A file that `log backup` wrote") },
  ({ log, json, backup, withKeys, replace }) =>
    Effect.gen(function* () {
      const from = path.resolve(backup)
      const url = yield* OpenLog.serverOf(log)
      if (url !== undefined) return yield* restoreToServer(json, { from, to: url, withKeys, replace })
      const to = yield* OpenLog.fileOf(log)
      const found = yield* copied(WholeFile.restore, json, { from, to, withKeys, replace })
      yield* Output.show(json, found, (style) => [...lines(style, "Restored", found), whose(found.own)])
    }),
).pipe(
  Command.withDescription(
    "Restore a backup as the log, and verify it before and after. Refused while a kernel holds that log. Existing keys, plugins and recorded files stay unless the backup has its own",
  ),
)

const whose = (own: boolean): string =>
  own
    ? "You made this backup on this machine from a log of your own, so the restored log is your own, too."
    : "This backup does not match any that you made on this machine from a log of your own. The first command that acts on the log asks whether you trust it; `--trust-log` trusts it without asking."

const restoreToServer = (json: boolean, { replace, ...given }: Omit<CopyOptions, "onPages">) =>
  Effect.gen(function* () {
    if (replace === true)
      return yield* new BadInput({
        input: "--replace",
        expected: "a schema without a log, or with the beginning of the same one",
        found: "a log on a PostgreSQL server, which no command replaces",
        advice: "Name another schema (?schema=…), or drop this one in psql as its owner.",
      })
    const { restore } = yield* servers
    const found = yield* ProgressLine.during({ verb: "copied", unit: "events", json }, (onEvents) =>
      restore({ ...given, onEvents }),
    )
    yield* Output.show(json, found, (style) => restoredLines(style, given.withKeys === true, found))
  })

const restoredLines = (style: Style, withKeys: boolean, { to, copied, keys, head, own }: LogCopied) => [
  `${style.good("Restored")} ${count(copied, "event")} to ${to}; head ${at(head.position)} ${style.dim(head.hash)}; verified.`,
  ...(withKeys ? [`With it: ${count(keys, "key")} of personal data.`] : []),
  whose(own),
]
