/** The command `hindcast export git-ai`: which agent wrote which lines of a commit, as a note of git-ai. */
import { Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as GitAiNotes from "../../workspace/attributions/GitAiNotes.ts"
import * as Git from "../../workspace/git/Git.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FilesOptions from "../files/FilesOptions.ts"
import * as OpenedFiles from "../files/OpenedFiles.ts"
import * as Attributed from "./Attributed.ts"

/** The commit has a note already. */
export class NoteExists extends Data.TaggedError("NoteExists")<{ readonly revision: string; readonly ref: string }> {
  override get message() {
    return `Commit ${this.revision}: expected no note in ${this.ref}, found one. It was not changed; --force replaces it, and --ref writes to another place.`
  }
}

export class NothingAttributed extends Data.TaggedError("NothingAttributed")<{ readonly revision: string }> {
  override get message() {
    return `Commit ${this.revision}: expected lines that a recorded call wrote, found none. No note was written. \`hindcast files blame FILE\` shows where lines come from.`
  }
}

export const gitAi = Command.make(
  "git-ai",
  {
    ...FilesOptions.common,
    commit: text("commit", "The commit, in the repository around the working directory. Default: HEAD").pipe(
      Options.withDefault("HEAD"),
    ),
    task: FilesOptions.task,
    write: flag("write", "Write the note to the repository. Default: print it"),
    ref: text("ref", "Where --write writes. Default: refs/notes/ai").pipe(Options.withDefault("refs/notes/ai")),
    force: flag("force", "Replace the commit's note"),
  },
  ({ log, json, commit, task, write, ref, force }) =>
    Effect.gen(function* () {
      if (!/^refs\/notes\/[\w./-]+$/.test(ref) || /\.\.|\/\/|\.lock$|[/.]$/.test(ref))
        return yield* new BadInput({ input: "--ref", expected: "a name such as refs/notes/ai", found: ref })
      const recorded = yield* OpenedFiles.open({ at: Option.none(), task })
      const git = yield* Attributed.repository
      const found = yield* Attributed.ofCommit(recorded, git, commit)
      const { note, leftOut } = GitAiNotes.of(found.files, found.commit)
      if (note === undefined) return yield* new NothingAttributed({ revision: found.commit })
      if (write) yield* writeNote(git, { commit: found.commit, ref, note, force })
      const summary = { ...Attributed.summaryOf(found, leftOut), ...(write ? { ref } : {}) }
      const line = Attributed.summaryLine(summary, write ? `, in a note of ${ref} on ${found.commit}` : "")
      if (json) return yield* Output.showDocument(true, { ...summary, note }, [])
      if (write) return yield* Output.write(line)
      yield* Output.writeBytes(Buffer.from(note))
      yield* Output.note(line)
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log, { personal: false }))),
).pipe(
  Command.withDescription(
    "Print, or write to refs/notes/ai, which agent wrote which lines of a commit: a note of git-ai",
  ),
)

const writeNote = (
  git: Git.Git,
  {
    commit,
    ref,
    note,
    force,
  }: { readonly commit: string; readonly ref: string; readonly note: string; readonly force: boolean },
) =>
  Effect.gen(function* () {
    if (yield* Git.isSymbolic(git, ref))
      return yield* new BadInput({
        input: `--ref ${ref}`,
        expected: "a reference of its own",
        found: "one that stands for another reference, which a note would change",
      })
    const notes = ["notes", `--ref=${ref}`]
    const listed = (yield* git.run([...notes, "list"])).toString("utf8").split("\n")
    if (!force && listed.some((line) => line.endsWith(` ${commit}`)))
      return yield* new NoteExists({ revision: commit, ref })
    const blob = (yield* git.run(["hash-object", "-w", "--no-filters", "--stdin"], { input: note }))
      .toString("utf8")
      .trim()
    yield* git.run([...notes, "add", ...(force ? ["--force"] : []), "-C", blob, commit], { env: IDENTITY })
  })

/** Of the commit in the history of notes: the user may have set none. */
const IDENTITY = {
  ...{ GIT_AUTHOR_NAME: "Hindcast", GIT_AUTHOR_EMAIL: "hindcast@localhost" },
  ...{ GIT_COMMITTER_NAME: "Hindcast", GIT_COMMITTER_EMAIL: "hindcast@localhost" },
}
