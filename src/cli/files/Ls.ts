/** The command `hindcast files ls`: the recorded files at a moment. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as ListedFiles from "../../workspace/questions/ListedFiles.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FileLines from "../pages/files/FileLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

export const ls = Command.make(
  "ls",
  { ...FilesOptions.common, at: FilesOptions.at, task: FilesOptions.task },
  ({ log, json, at, task }) =>
    Effect.gen(function* () {
      const recorded = yield* OpenedFiles.find({ at, task })
      const tree = yield* RecordedContent.tree(recorded)
      const { root, position } = recorded
      yield* Output.show(json, ListedFiles.document(recorded, tree), (style) =>
        FileLines.list(style, ListedFiles.sorted(tree), root, position),
      )
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("The recorded files of a workspace at a moment"))
