/** The command `hindcast export harbor`: a recorded task as a task for Harbor, so that others can try it again. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Data, Effect, Option, Stream } from "effect"
import * as Harbor from "../../datasets/harbor/HarborTask.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { messageText } from "../../values/JsonObjects.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import * as RestoredFiles from "../../workspace/questions/RestoredFiles.ts"
import type { Left } from "../../workspace/restore/RestoreInto.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, MOMENT, optionalText, TASK, text } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as RestoreLines from "../pages/files/RestoreLines.ts"
import * as Text from "../terminal/Text.ts"
import * as FilesOptions from "./FilesOptions.ts"
import { NotAllRestored } from "./NotAllRestored.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

class HarborTaskExists extends Data.TaggedError("HarborTaskExists")<{ readonly directory: string }> {
  override get message() {
    return `${oneLine(this.directory)}: expected a directory that does not exist yet, found one. Nothing was written.`
  }
}

class HarborTaskNotWritten extends Data.TaggedError("HarborTaskNotWritten")<{
  readonly directory: string
  readonly reason: string
}> {
  override get message() {
    return `${oneLine(this.directory)}: expected a directory to write to, found ${this.reason}. Nothing was written.`
  }
}

const options = {
  ...FilesOptions.common,
  task: argument("task", TASK),
  output: text("output", "The directory of the new task; it must not exist").pipe(Options.withPseudoName("directory")),
  test: text("test", "The command that tests the result in the container: it ends with 0 if the work is done").pipe(
    Options.withPseudoName("command"),
  ),
  at: optionalText("at", `The moment of the files to begin with: ${MOMENT}. Default: the start of the task`),
  solution: optionalText("solution", "A moment whose files pass the test, as the reference solution. Default: none"),
  image: text("image", "The image that the container begins with. Default: ubuntu:24.04").pipe(
    Options.withDefault("ubuntu:24.04"),
  ),
  partial: flag("partial", "Accept that some files cannot be restored, such as those with secrets"),
}

export const harbor = Command.make(
  "harbor",
  options,
  ({ log: named, json, task, output, test, at, solution, image, partial }) =>
    Effect.gen(function* () {
      if (!Harbor.isImage(image))
        return yield* new BadInput({ input: "--image", expected: "the name of an image", found: oneLine(image) })
      if (test.trim() === "")
        return yield* new BadInput({ input: "--test", expected: "a command that tests the result", found: "none" })
      const directory = path.resolve(output)
      if ((yield* attempt(directory, () => found(directory))) !== undefined)
        return yield* new HarborTaskExists({ directory })
      const taskId = yield* Ids.task(task)
      const start = yield* filesAt(taskId, at)
      const end = Option.isSome(solution) ? yield* filesAt(taskId, solution) : undefined
      const log = yield* EventLog
      const heading = yield* TaskList.standing(log, taskId)
      const prompts = yield* promptsOf(log, taskId, start.at)
      const instruction = prompts.length === 0 ? (heading?.goal ?? "") : prompts.join("\n\n")
      const about = {
        name: `hindcast/${Harbor.nameFrom(taskId)}`,
        instruction,
        description: oneLine(instruction.split("\n", 1)[0] ?? "").slice(0, 200),
        ...{ image, test },
        from: {
          hindcast_task: taskId,
          hindcast_agent: heading?.agent ?? "",
          hindcast_outcome: heading?.outcome ?? "open",
        },
        ...(end === undefined ? {} : { deleted: [...start.tree.keys()].filter((file) => !end.tree.has(file)) }),
      }
      const partialDirectory = `${directory}.partial-${process.pid}`
      const written = yield* Effect.acquireUseRelease(
        attempt(directory, () => fs.mkdir(partialDirectory, { recursive: true })),
        () =>
          Effect.gen(function* () {
            const restored = [yield* restore(path.join(partialDirectory, Harbor.START), start)]
            if (end !== undefined) restored.push(yield* restore(path.join(partialDirectory, Harbor.SOLUTION), end))
            const left = restored.flatMap((one) => one.left)
            const count = restored.reduce((sum, one) => sum + one.restored.length, 0)
            if (left.length > 0 && !partial)
              return yield* new NotAllRestored({
                directory,
                restored: count,
                left,
                isAcceptable: true,
                isRemoved: true,
              })
            yield* attempt(directory, () => writeTexts(partialDirectory, Harbor.files(about)))
            yield* attempt(directory, () => fs.rename(partialDirectory, directory))
            return { files: restored[0]?.restored.length ?? 0, left }
          }),
        // A failure to remove it hides no other: the export failed before.
        () => Effect.ignore(Effect.tryPromise(() => fs.rm(partialDirectory, { recursive: true, force: true }))),
      )
      const document = { directory, task: taskId, name: about.name, ...written, solution: end !== undefined }
      yield* Output.show(json, document, () => [
        `Wrote task ${about.name} with ${Text.count(written.files, "file")} to ${oneLine(output)}. Nothing was run: try the test there, once without the work and once with it.`,
        ...RestoreLines.leftLines(written.left),
      ])
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(named, { personal: false }))),
).pipe(
  Command.withDescription(
    "Write a recorded task as a task for Harbor: its goal, the files at its start, and a test, so that a failure becomes a regression test",
  ),
)

/** The prompts of a task: all of them, or those from the last prompt before a moment on. */
const promptsOf = (log: EventLog.Service, taskId: string, at: number | undefined) =>
  Effect.map(Stream.runCollect(log.read({ timeline: log.timeline, taskId, types: ["InputReceived"] })), (inputs) => {
    const all = [...inputs].flatMap((event) =>
      is(event, "InputReceived") && event.payload.source === "user"
        ? [{ position: event.position, text: messageText(event.payload.content) }]
        : [],
    )
    const last = at === undefined ? 0 : all.findLastIndex(({ position }) => position <= at)
    return all.slice(Math.max(0, last)).flatMap(({ text }) => (text.trim() === "" ? [] : [text.trim()]))
  })

interface Files {
  /** The position that was asked for; undefined at the start. */
  readonly at: number | undefined
  readonly tree: Tree
  readonly store: Parameters<typeof RestoredFiles.write>[2]
}

/** The recorded files of a task at a moment, or at its start. */
const filesAt = (taskId: string, at: Option.Option<string>) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.open({ at, task: Option.some(taskId) })
    const first = recorded.looks.find((look) => look.taskId === taskId)
    const tree =
      Option.isNone(at) && first !== undefined
        ? yield* RecordedContent.treeAfter(recorded, [first])
        : yield* RecordedContent.tree(recorded)
    return { at: Option.isNone(at) ? undefined : recorded.position, tree, store: recorded.store } satisfies Files
  })

/** Writes the files, apart from links that lead out of the workspace, which Harbor refuses. */
const restore = (into: string, { tree, store }: Files) =>
  Effect.gen(function* () {
    const { restored, left } = yield* RestoredFiles.write(into, tree, store)
    const leading = yield* attempt(into, () => linksOut(into, restored))
    const out: ReadonlyArray<Left> = leading.map((file) => ({ path: file, why: "a link out of the workspace" }))
    return { restored: restored.filter((file) => !leading.includes(file)), left: [...left, ...out] }
  })

const linksOut = async (root: string, files: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const out: Array<string> = []
  for (const file of files) {
    const place = path.join(root, file)
    if (!(await fs.lstat(place)).isSymbolicLink()) continue
    const target = path.resolve(path.dirname(place), await fs.readlink(place))
    if (target === root || target.startsWith(`${root}${path.sep}`)) continue
    await fs.rm(place)
    out.push(file)
  }
  return out
}

const found = (directory: string) =>
  fs.lstat(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw cause
  })

const writeTexts = async (directory: string, files: ReadonlyArray<Harbor.TextFile>): Promise<void> => {
  for (const { path: name, text, isProgram } of files) {
    const file = path.join(directory, name)
    await fs.mkdir(path.dirname(file), { recursive: true })
    await fs.writeFile(file, text, { mode: isProgram === true ? 0o755 : 0o644 })
  }
}

const attempt = <A>(directory: string, run: () => Promise<A>): Effect.Effect<A, HarborTaskNotWritten> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new HarborTaskNotWritten({ directory, reason: cause instanceof Error ? cause.message : String(cause) }),
  })
