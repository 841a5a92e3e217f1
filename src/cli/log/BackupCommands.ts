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
      const from = yield* OpenLog.existing(log)
      const found = yield* copied(WholeFile.backup, json, { from, to: path.resolve(file), withKeys, replace })
      yield* Output.show(json, found, (style) => [
        ...lines(style, "Backed up", found),
        `If the log is lost: ${CommandHints.shellCommand(CommandHints.written("log", "restore", found.file, ...(found.keys ? ["--with-keys"] : [])))}`,
      ])
    }),
).pipe(Command.withDescription("Copy the log with all its files, even while a kernel writes, and verify the copy"))

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
          ? "You made this backup on this machine from a log of your own, so the restored log is your own, too."
          : "This backup does not match any that you made on this machine from a log of your own. The first command that acts on the log asks whether you trust it; `--trust-log` trusts it without asking.",
      ])
    }),
).pipe(
  Command.withDescription(
    "Restore a backup as the log, and verify it before and after. Refused while a kernel holds that log. Existing keys, plugins and recorded files stay unless the backup has its own",
  ),
)
