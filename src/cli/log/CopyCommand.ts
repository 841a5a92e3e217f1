/** The command `hindcast log copy`: a log from a file to a PostgreSQL server, or back. */
import { Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { copyLog } from "../../events/copying/copy.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, flag, json } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count } from "../terminal/Text.ts"

export const copy = Command.make(
  "copy",
  {
    json,
    withKeys: flag(
      "with-keys",
      "Also copy the keys of personal data. Everybody with the copy can then read the personal fields",
    ),
    from: argument("from", "The file or URL (postgres://user@host/database) of the log"),
    to: argument("to", "The file or URL of the copy: a new one, or one that an earlier copy left unfinished"),
  },
  ({ json, withKeys, from, to }) =>
    Effect.gen(function* () {
      const source = (yield* OpenLog.serverOf(Option.some(from))) ?? (yield* OpenLog.existing(Option.some(from)))
      const target = (yield* OpenLog.serverOf(Option.some(to))) ?? (yield* OpenLog.fileOf(Option.some(to)))
      const found = yield* ProgressLine.during({ verb: "copied", unit: "events", json }, (onEvents) =>
        copyLog({ from: source, to: target, withKeys, onEvents }),
      )
      yield* Output.show(json, found, (style) => [
        `${style.good("Copied")} ${count(found.copied, "event")} to ${found.to}; the copy is verified. Its head is ${at(found.head.position)} ${style.dim(found.head.hash)}.`,
        ...(withKeys ? [`With it: ${count(found.keys, "key")} of personal data.`] : []),
        `To use it: ${CommandHints.command(["log", "info", "--log", found.to])}`,
      ])
    }),
).pipe(
  Command.withDescription(
    "Copy a log to a PostgreSQL server, or from one to a file: the same positions, ids, times and hashes. Run it again to continue an interrupted copy, or to add later events",
  ),
)
