/** The command `hindcast files compare`: the files that several tasks left, and whether a command succeeds on them. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import * as CopiedFiles from "../../workspace/bisect/CopiedFiles.ts"
import * as LeadingOut from "../../workspace/bisect/LeadingOut.ts"
import * as RecordedRuns from "../../workspace/bisect/RecordedRuns.ts"
import * as States from "../../workspace/bisect/States.ts"
import type * as Tested from "../../workspace/bisect/Tested.ts"
import * as TreeRuns from "../../workspace/bisect/TreeRuns.ts"
import * as FileVersions from "../../workspace/history/FileVersions.ts"
import * as Looks from "../../workspace/history/Looks.ts"
import * as LineCounts from "../../workspace/LineCounts.ts"
import * as Changes from "../../workspace/model/Changes.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import * as NotRecorded from "../../workspace/restore/NotRecorded.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, flag, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as RunOption from "../command/RunOption.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as CompareLines from "../pages/files/CompareLines.ts"
import * as FileRuns from "./FileRuns.ts"
import * as FilesOptions from "./FilesOptions.ts"

const options = {
  ...FilesOptions.common,
  tasks: argument("task", "A task, or a task on a timeline (fork-1@TASK)").pipe(Args.atLeast(2)),
  verify: optionalText(
    "verify",
    "A shell command to run on the final files of each task. Its exit code says what they are: 0 is good, 125 is inconclusive, any other up to 127 is bad",
  ),
  timeoutMs: FileRuns.timeoutMs,
  copy: FileRuns.copy,
  fresh: flag("fresh", "Repeat the runs that an earlier comparison or bisection recorded"),
  trustLog: TrustLog.option,
}

export const compare = Command.make("compare", options, (typed) =>
  Effect.gen(function* () {
    const { json, copy, fresh } = typed
    const command = Option.map(typed.verify, (text) => text.trim())
    if (Option.contains(command, ""))
      return yield* new BadInput({ input: "--verify", expected: 'a command, such as "npm test"', found: "none" })
    if (Option.isNone(command) && (copy.length > 0 || fresh))
      return yield* new BadInput({
        input: copy.length > 0 ? "--copy" : "--fresh",
        expected: "--verify COMMAND with it",
        found: "none",
      })
    if (Option.isSome(command)) yield* TrustLog.settled(typed)
    const sides = yield* Effect.forEach(typed.tasks, sideOf)
    const verified = Option.isNone(command) ? undefined : yield* verify({ ...typed, command: command.value }, sides)
    const tasks = sides.map((side, index) => ({ ...side, verified: verified?.[index] }))
    const document = { command: Option.getOrNull(command), tasks: tasks.map(documentOf) }
    yield* Output.show(json, document, (style) => CompareLines.lines(style, tasks, Option.getOrUndefined(command)))
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(typed.log))),
).pipe(
  Command.withDescription(
    "Compare what several tasks or forks did to the files: outcome, score, cost, changes, and whether a command succeeds on them",
  ),
)

/** One of the compared tasks, with its recorded files. */
interface Side extends CompareLines.ComparedTask {
  readonly taskId: string
  readonly timeline: string
  /** Undefined if the task recorded no files. */
  readonly files: SideFiles | undefined
}

interface SideFiles extends CompareLines.ComparedFiles {
  readonly recorded: RecordedFiles.RecordedFiles
  /** The last files. */
  readonly tree: Tree
}

const sideOf = (name: string) =>
  Effect.gen(function* () {
    const { taskId, timeline } = {
      timeline: undefined,
      taskId: undefined,
      ...(yield* RunOption.named(name, Option.none())),
    }
    if (taskId === undefined)
      return yield* new BadInput({ input: name, expected: "a task, or TIMELINE@TASK", found: "a timeline alone" })
    const whole = yield* EventLog
    const log = timeline === undefined ? whole : Timelines.view(whole, yield* Timelines.named(whole, timeline))
    const audit = yield* Effect.provideService(TaskAudit.load(taskId), EventLog, log)
    const files = yield* filesOf(log, taskId)
    return { name, taskId, timeline: log.timeline, audit, files, verified: undefined } satisfies Side
  })

const filesOf = (log: EventLog.Service, taskId: string) =>
  Effect.gen(function* () {
    const { position } = yield* log.head
    const starts = yield* Looks.starts(log, { until: position, taskId })
    const [first, last] = [starts[0], starts.at(-1)]
    if (first?.base === undefined || last === undefined) return undefined
    // A fork may have continued in another directory.
    const recorded = yield* RecordedFiles.open({ at: `${log.timeline}@${position}`, taskId, directory: last.root })
    const { looks, treeOf, store } = recorded
    return yield* RecordedFiles.reading((): SideFiles | undefined => {
      const tree = FileVersions.treeAfter(looks, treeOf)
      if (tree === undefined) return undefined
      const before = treeOf(first.base ?? "")
      const changes = before === undefined ? undefined : Changes.between(before, tree)
      const lines = { added: 0, removed: 0, uncounted: 0 }
      for (const change of changes ?? []) {
        if (change.kind === "mode" || change.kind === "renamed") continue
        const counts = LineCounts.of(change, store)
        if (counts === undefined) lines.uncounted++
        lines.added += counts?.added ?? 0
        lines.removed += counts?.removed ?? 0
      }
      return { recorded, tree, changes, lines }
    })
  })

interface Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly command: string
  readonly timeoutMs: number
  readonly copy: ReadonlyArray<string>
  readonly fresh: boolean
}

/** The result of a run; undefined for a task without files. */
const verify = ({ log, json, command, timeoutMs, copy, fresh }: Typed, sides: ReadonlyArray<Side>) =>
  Effect.gen(function* () {
    const known = sides.flatMap(({ files }) => files ?? [])
    const [first] = known
    if (first === undefined) return yield* new RecordedFiles.NoFilesRecorded({ found: "none of these tasks" })
    const scratch = yield* FileRuns.scratchDirectory
    const { root, store } = first.recorded
    const copied = yield* CopiedFiles.of(
      root,
      copy.map((one) => one.replace(/\/+$/, "")),
      first.tree,
    )
    const linked = yield* RecordedFiles.reading(() =>
      known.flatMap(({ recorded: { looks, treeOf, store } }) => LeadingOut.ofLooks(looks, treeOf, store)),
    )
    const missing = yield* NotRecorded.namesIn(first.recorded, first.tree, copied.tree)
    yield* FileRuns.remarks(json, copied, missing, linked)
    const redaction = Redaction.make()
    const asked: RecordedRuns.Asked = {
      command: redaction.text(command),
      timeoutMs,
      copied: copied.tree.size === 0 ? null : States.digest(copied.tree),
    }
    const earlier = fresh ? [] : yield* RecordedRuns.read(yield* EventLog, asked)
    const results = new Map(earlier.map((run) => [run.tree, { ...run, isCached: true, lost: [], omitted: [] }]))
    const run = TreeRuns.runner({ contents: store, copied, command, timeoutMs, scratch })
    const ran: Array<Tested.Tested> = []
    const verified = yield* Effect.forEach(sides, ({ name, files }, index) =>
      Effect.gen(function* () {
        const look = files?.recorded.looks.at(-1)
        if (files === undefined || look === undefined) return undefined
        const tree = States.digest(files.tree)
        const before = results.get(tree)
        if (before !== undefined) return before
        if (!json) yield* Output.note(`Running ${command} on the files of ${name}.`)
        const { position } = look.event
        const tested = {
          index,
          tree,
          state: { look, seen: 0 },
          ...(yield* run({ tree: files.tree, position, lane: 0 })),
        }
        if (tested.lost.length === 0) ran.push(tested)
        results.set(tree, { ...tested, isCached: true, timeline: look.event.timeline, position, lost: [], omitted: [] })
        return tested
      }),
    ).pipe(
      Effect.ensuring(
        Effect.suspend(() => {
          const goal = `Verify the files of ${sides.length} tasks: ${asked.command}`
          const ended = { goal, outcome: "achieved", reason: `${ran.length} runs` } as const
          const events = RecordedRuns.events(asked, ran.map(FileRuns.recorded(redaction)), ended)
          return ran.length === 0 ? Effect.void : FileRuns.record(log, events)
        }),
      ),
    )
    return verified
  })

const documentOf = ({ name, taskId, timeline, audit, files, verified }: Side) => ({
  name,
  taskId,
  timeline,
  outcome: audit.outcome,
  scores: audit.scores.map(({ label, net, possible, normalized }) => ({ label, net, possible, normalized })),
  cost: audit.model?.cost ?? null,
  files:
    files === undefined
      ? null
      : {
          root: files.recorded.root,
          changed: files.changes?.length ?? null,
          lines: files.changes === undefined ? null : files.lines,
        },
  verified:
    verified === undefined
      ? null
      : {
          verdict: verified.verdict,
          exitCode: verified.exitCode,
          cached: verified.isCached,
          ms: verified.ms,
          output: verified.output,
          notRestored: [...verified.lost, ...verified.omitted],
        },
})
