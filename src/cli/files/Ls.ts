/** The command `hindcast files ls`: the recorded files at a moment. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { defined } from "../../values/defined.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FileLines from "../pages/files/FileLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

export const ls = Command.make(
  "ls",
  { ...FilesOptions.common, at: FilesOptions.at, task: FilesOptions.task },
  ({ log, json, at, task }) =>
    Effect.gen(function* () {
      const recorded = yield* RecordedFiles.open({ log, at, task })
      const tree = yield* RecordedContent.treeAfter(recorded, recorded.looks)
      const files = [...tree].sort(([one], [other]) => (one < other ? -1 : 1))
      const { root, timeline, position } = recorded
      const document = {
        root,
        timeline,
        at: position,
        files: files.map(([path, { kind, mode, size, digest, omitted }]) => ({
          path,
          kind,
          mode: mode.toString(8).padStart(3, "0"),
          size,
          ...defined({ digest, omitted }),
        })),
      }
      yield* Output.show(json, document, (style) => FileLines.list(style, files, root, position))
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The recorded files of a workspace at a moment"))
