/** The command `hindcast export git`: the recorded files of a task as commits on a new branch. */
import { Command, Options } from "@effect/cli"
import { Data, Effect, Stream } from "effect"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as CommitTrees from "../../workspace/git/CommitTrees.ts"
import * as Git from "../../workspace/git/Git.ts"
import * as TaskCommits from "../../workspace/git/TaskCommits.ts"
import * as Origin from "../../workspace/history/Origin.ts"
import { apply } from "../../workspace/model/Document.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import { BadInput } from "../command/BadInput.ts"
import { oneOf, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as FilesOptions from "../files/FilesOptions.ts"
import * as OpenedFiles from "../files/OpenedFiles.ts"
import * as Text from "../terminal/Text.ts"
import * as Attributed from "./Attributed.ts"

export class BranchExists extends Data.TaggedError("BranchExists")<{ readonly branch: string }> {
  override get message() {
    return `${this.branch}: expected a new branch, found one of this name or below it. Nothing was changed; choose another --branch.`
  }
}

export const branch = Command.make(
  "git",
  {
    ...FilesOptions.common,
    branch: text("branch", "The name of the new branch, in the repository around the working directory"),
    by: oneOf("by", ["step", "prompt"]).pipe(
      Options.withDescription("A commit for each step that changed files, or for each prompt. Default: step"),
      Options.withDefault("step"),
    ),
    at: FilesOptions.at,
    task: text("task", "The task, by its id. Default: the last one in the working directory").pipe(Options.optional),
  },
  ({ log, json, branch, by, at, task }) =>
    Effect.gen(function* () {
      const recorded = yield* OpenedFiles.open({ at, task })
      const git = yield* Attributed.repository
      const ref = yield* newBranch(git, branch)
      const taskId = recorded.looks.at(-1)?.taskId ?? ""
      const all = recorded.looks.filter((look) => look.taskId === taskId)
      const looks = all.slice(all.findLastIndex(({ base }) => base !== undefined))
      const { originOf } = Origin.finder(recorded.log)
      const [start, ...steps] = yield* Effect.forEach(looks, (look) =>
        Effect.map(originOf(look), (origin) => ({ look, origin })),
      )
      if (start === undefined) return yield* Effect.dieMessage("recorded files have a start")
      const query = { timeline: recorded.timeline, taskId, types: ["TaskOpened", "InputReceived"] }
      const told = yield* Stream.runCollect(recorded.log.read(query))
      const events = [...told]
      const agent = events.flatMap((event) => (is(event, "TaskOpened") ? [event.payload.agent] : [])).at(0) ?? "unknown"
      const prompts = events.filter(({ type }) => type === "InputReceived")
      const groups = by === "step" ? TaskCommits.byStep(steps) : TaskCommits.byPrompt(steps, prompts)
      const tree = new Map(yield* RecordedContent.treeAfter(recorded, [start.look]))
      const trees = yield* CommitTrees.make(git, recorded.store)
      for (const group of [{ steps: [start], prompt: undefined }, ...groups]) {
        const last = group.steps.at(-1)?.look ?? start.look
        if (last !== start.look) for (const { look } of group.steps) apply(tree, look.files)
        const message =
          last === start.look ? startMessage(taskId, last.event.position) : TaskCommits.messageOf(group, taskId)
        const author = TaskCommits.isOfAgent(group, taskId) ? agent : "unknown"
        yield* trees.commit({ tree, message, identity: TaskCommits.identity(author, last.event.occurredAt) })
      }
      const head = yield* trees.finish
      yield* git.run(["update-ref", "--no-deref", "-m", "hindcast export git", ref, head, "0".repeat(head.length)], {
        expected: `${branch} to be a new branch`,
      })
      const leftOut = [...trees.leftOut].map(([path, why]) => ({ path, why }))
      const document = { branch, head, task: taskId, commits: groups.length + 1, leftOut }
      yield* Output.show(json, document, () => [
        `Wrote ${Text.count(document.commits, "commit")} of task ${taskId} to the new branch ${branch}.`,
        ...leftOut.map(({ path, why }) => `Left out: ${oneLine(path)}: ${why}`),
      ])
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(log, { personal: false }))),
).pipe(
  Command.withDescription(
    "Write the recorded files of a task as commits on a new branch, with the causes as trailers. HEAD, the index and the files do not change",
  ),
)

const newBranch = (git: Git.Git, branch: string) =>
  Effect.gen(function* () {
    const ref = `refs/heads/${branch}`
    const isName = Effect.isSuccess(git.run(["check-ref-format", ref]))
    if (branch.startsWith("-") || branch === "HEAD" || !(yield* isName))
      return yield* new BadInput({ input: "--branch", expected: "a name that Git takes", found: branch })
    const found = yield* git.run(["for-each-ref", "--count=1", "--format=%(refname)", ref])
    if (found.length > 0 || (yield* Git.isSymbolic(git, ref))) return yield* new BranchExists({ branch })
    const worktrees = (yield* git.run(["worktree", "list", "--porcelain"])).toString("utf8").split("\n")
    if (worktrees.includes(`branch ${ref}`))
      return yield* new BadInput({
        input: `--branch ${branch}`,
        expected: "a branch that is not checked out",
        found: "the current one, which has no commits yet: its files would count as deleted",
      })
    return ref
  })

const startMessage = (taskId: string, position: number): string =>
  `Files at the start of the task\n\nHindcast-Task: ${oneLine(taskId)}\nHindcast-Position: @${position}\n`
