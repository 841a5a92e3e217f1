/** The command `hindcast files show`: a file's content at a moment. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as Content from "../../workspace/history/Content.ts"
import * as ListedFiles from "../../workspace/questions/ListedFiles.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FileLines from "../pages/files/FileLines.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

const raw = flag("raw", "Write the bytes as they are, including control characters, to a file or a program")

const options = { ...FilesOptions.common, file: FilesOptions.file, at: FilesOptions.at, task: FilesOptions.task, raw }

export const show = Command.make("show", options, ({ log, json, file, at, task, raw }) =>
  Effect.gen(function* () {
    if (raw && json)
      return yield* new BadInput({ input: "--raw", expected: "no --json with it", found: "both: choose one" })
    const recorded = yield* OpenedFiles.find({ at, task })
    const { path, entry } = yield* RecordedContent.fileAt(recorded, file)
    const { kind, bytes } = yield* RecordedContent.bytesOf(recorded, path, entry)
    if (raw) return yield* Output.writeBytes(bytes)
    if (!json && kind === "binary")
      return yield* new BadInput({
        input: file,
        expected: "a text",
        found: `a binary content of ${bytes.length} bytes`,
        advice: "--raw writes it as it is.",
      })
    const { root, timeline, position } = recorded
    const content =
      kind === "text" ? { text: Content.textOf(bytes) } : { base64: Buffer.from(bytes).toString("base64") }
    const document = { root, timeline, at: position, ...ListedFiles.ofEntry(path, entry), ...content }
    yield* json
      ? Output.showDocument(true, document, [])
      : Output.writeContent(FileLines.content(Content.textOf(bytes)))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log))),
).pipe(Command.withDescription("A file's content at a moment"))
