/** The commands `hindcast log backup` and `restore`: copies of a whole log, even while a kernel writes to it. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { Copied, CopyError, CopyOptions } from "../../events/maintenance/Backup.ts"
import * as WholeFile from "../../events/sqlite/wholeFile.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import type { Style } from "../terminal/Style.ts"
import { at, count } from "../terminal/Text.ts"

const options = {
  ...common,
  withKeys: flag("with-keys", "Copy the keys of personal data too: whoever has them reads the personal fields"),
  replace: flag("replace", "Replace what is there under that name"),
}

type Copying = (options: CopyOptions) => Effect.Effect<Copied, CopyError>

const copied = (copy: Copying, json: boolean, given: CopyOptions) =>
  ProgressLine.during({ verb: "copied", unit: "pages", json }, (onProgress) =>
    copy({ ...given, onPages: (done, of) => Effect.runSync(onProgress(done, of)) }),
  )

const lines = (style: Style, done: string, { file, head, events, bytes, segments, plugins, keys }: Copied) => [
  `${style.good(done)} ${count(events, "event")}, head ${at(head.position)} ${style.dim(head.hash)}, ${count(bytes, "byte")}, in ${file}; verified.`,
  `With it: ${[count(segments.length, "segment"), ...(plugins ? ["the plugins' copies"] : []), ...(keys ? ["the keys of personal data"] : [])].join(", ")}.`,
]

export const backup = Command.make(
  "backup",
  { ...options, file: argument("file", "The backup's file; what belongs to it gets its name, such as FILE.segments") },
  ({ log, json, file, withKeys, replace }) =>
    Effect.gen(function* () {
      const from = yield* OpenLog.existing(log)
      const found = yield* copied(WholeFile.backup, json, { from, to: path.resolve(file), withKeys, replace })
      yield* Output.show(json, found, (style) => [
        ...lines(style, "Backed up", found),
        `Where the log is lost: ${CommandHints.shellCommand(CommandHints.written("log", "restore", found.file, ...(found.keys ? ["--with-keys"] : [])))}`,
      ])
    }),
).pipe(
  Command.withDescription("Copy the log with all that belongs to it, also while a kernel writes, and verify the copy"),
)

export const restore = Command.make(
  "restore",
  { ...options, backup: argument("backup", "A file that `log backup` wrote") },
  ({ log, json, backup, withKeys, replace }) =>
    Effect.gen(function* () {
      const to = yield* OpenLog.fileOf(log)
      const found = yield* copied(WholeFile.restore, json, { from: path.resolve(backup), to, withKeys, replace })
      yield* Output.show(json, found, (style) => [
        ...lines(style, "Restored", found),
        found.own
          ? "You made this backup here, of a log of your own: it is your own log again, as it was then."
          : "No backup of a log of your own, made by you on this machine, ends like this one: acting on it asks once whether you trust it, or say `--trust-log`.",
      ])
    }),
).pipe(
  Command.withDescription(
    "Bring a backup back as the log, verified before and after; refused while a kernel holds that log. Keys and plugins that are there stay unless the backup has its own",
  ),
)
