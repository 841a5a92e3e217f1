/** Starts a coding agent in the fork's directory, and finds the session that hooks recorded. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import type { ForkedFrom } from "../../../events/vocabulary/Tasks.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as Programs from "../../../hooks/clients/Programs.ts"
import { quoteWord } from "../../../values/ShellWord.ts"
import type { Tree } from "../../../workspace/model/Entry.ts"
import { BadInput } from "../../command/BadInput.ts"
import type * as ForkedSession from "./ForkedSession.ts"

/** The program of a coding agent is not installed. */
export class ProgramNotFound extends Data.TaggedError("ProgramNotFound")<{ readonly program: string }> {
  readonly missing = true
  override get message() {
    const { program } = this
    const expected = isPath(program) ? "a file of the fork's directory, or a whole path" : "a program on the PATH"
    return `${program}: expected ${expected}, found none. Nothing was written. ${isPath(program) ? "Name" : "Install it, or name"} another one after --.`
  }
}

interface Chosen {
  readonly client: string | undefined
  readonly model: string | undefined
  readonly words: ReadonlyArray<string>
}

/** The words that start the session; the first prompt is the argument after them. */
export const wordsFor = (
  { agent }: ForkedSession.ForkedSession,
  { client, model, words }: Chosen,
): Effect.Effect<ReadonlyArray<string>, BadInput> => {
  if (words.length > 0) return Effect.succeed(words)
  const name = client ?? agent
  const program = Programs.named(name)
  if (program !== undefined) return Effect.succeed(Programs.words(program, model))
  return new BadInput({
    input: client === undefined ? "The session" : `--client ${client}`,
    expected: `a coding agent of ${Programs.all.map((one) => one.name).join(", ")}`,
    found: name,
    advice: "Name a program after --: it gets the conversation as its last argument.",
  })
}

/** Fails if the program is neither on the `PATH` nor a file: a relative path is one of the trees, in which it starts. */
export const checkInstalled = (program: string, trees: ReadonlyArray<Tree>): Effect.Effect<void, ProgramNotFound> => {
  const isThere = isPath(program)
    ? path.isAbsolute(program)
      ? isFile(program)
      : trees.some((tree) => hasFile(tree, program))
    : (process.env.PATH ?? "")
        .split(path.delimiter)
        .some((directory) => endings().some((ending) => isFile(path.join(directory, program + ending))))
  return isThere ? Effect.void : new ProgramNotFound({ program })
}

const isPath = (program: string): boolean => program.includes("/") || program.includes(path.sep)

/** Whether a tree has the file, or a link on the way to it, which leads anywhere. */
const hasFile = (tree: Tree, program: string): boolean => {
  const names = path.normalize(program).split(path.sep)
  return names.some((_, index) => {
    const entry = tree.get(names.slice(0, index + 1).join("/"))
    return entry !== undefined && (entry.kind === "link" || index === names.length - 1)
  })
}

const isFile = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

const endings = (): ReadonlyArray<string> =>
  process.platform === "win32" ? ["", ...(process.env.PATHEXT ?? ".EXE;.CMD").split(";")] : [""]

/** The command for a POSIX shell. The file holds the first prompt, which is too long to be pasted. */
export const commandFor = (words: ReadonlyArray<string>, directory: string, handover: string): string =>
  `cd ${quoteWord(directory)} && ${words.map(quoteWord).join(" ")} "$(cat ${quoteWord(handover)})"`

/** The tasks after a position that continue from a moment. */
export const recordedSince = (position: number, from: ForkedFrom) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const found: Array<string> = []
    yield* Stream.runForEach(log.read({ types: ["TaskOpened"], after: position }), (event) =>
      Effect.sync(() => {
        if (!is(event, "TaskOpened") || event.taskId === null) return
        const { forkedFrom } = event.payload
        const isSame =
          forkedFrom?.taskId === from.taskId && forkedFrom.timeline === from.timeline && forkedFrom.at === from.at
        if (isSame) found.push(event.taskId)
      }),
    )
    return found
  })
