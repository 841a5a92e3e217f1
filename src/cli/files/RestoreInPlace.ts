/** `files restore --in-place` and `--undo`: the recorded files of a moment, over the present ones. */
import * as fs from "node:fs"
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import { defined } from "../../values/defined.ts"
import { at } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as FileVersions from "../../workspace/history/FileVersions.ts"
import type { OwnChange } from "../../workspace/model/Changes.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as PresentFiles from "../../workspace/PresentFiles.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import * as Root from "../../workspace/Root.ts"
import * as InPlace from "../../workspace/restore/InPlace.ts"
import type * as Removal from "../../workspace/restore/Removal.ts"
import * as RemovalEvidence from "../../workspace/restore/RemovalEvidence.ts"
import type { Left } from "../../workspace/restore/RestoreInto.ts"
import * as RestorePlan from "../../workspace/restore/RestorePlan.ts"
import * as RestoreRecord from "../../workspace/restore/RestoreRecord.ts"
import type { ContentStore } from "../../workspace/store/ContentStore.ts"
import type { StoreUnavailable } from "../../workspace/store/StoreFile.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as RestoreLines from "../pages/files/RestoreLines.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as Question from "../terminal/Question.ts"
import * as Text from "../terminal/Text.ts"
import { NotAllRestored } from "./NotAllRestored.ts"
import * as OpenedFiles from "./OpenedFiles.ts"
import * as RestoreTask from "./RestoreTask.ts"

/** The files were recorded elsewhere. */
export class NotTheWorkspace extends Data.TaggedError("NotTheWorkspace")<{
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    const { expected, found } = this
    return `Expected to work in ${oneLine(expected)}, whose files were recorded, and to own it, found ${oneLine(found)}. Nothing was written. Change to that directory, or name another one with --into.`
  }
}

export class NothingToUndo extends Data.TaggedError("NothingToUndo")<{ readonly root: string }> {
  override get message() {
    return `${oneLine(this.root)}: expected an earlier \`hindcast files restore MOMENT --in-place\`, found none. Nothing was written.`
  }
}

export interface Typed {
  readonly log: Option.Option<string>
  readonly json: boolean
  /** Absent: undo the last restore. */
  readonly moment: Option.Option<string>
  readonly task: Option.Option<string>
  readonly yes: boolean
  readonly dryRun: boolean
  readonly partial: boolean
  readonly trustLog: boolean
}

export const run = (typed: Typed) =>
  Effect.gen(function* () {
    const { log, json, yes, dryRun, partial } = typed
    const agrees = (ask: Effect.Effect<boolean>) =>
      Question.agrees({
        command: "hindcast files restore",
        options: ["--yes"],
        given: yes,
        json,
        about: "`--dry-run` shows what it would change.",
        ask,
      })
    // Before anything is recorded.
    if (!dryRun) yield* agrees(Effect.succeed(true))
    const file = yield* OpenLog.fileOf(log)
    const target = yield* Effect.provide(find(typed), OpenLog.forPast(log))
    const { root, position } = target
    const filename = fs.realpathSync(file)
    if (dryRun) {
      const planned = yield* planOf(target, yield* present(target, filename), filename, true)
      return yield* Output.show(json, documentOf(target, planned), (style) =>
        RestoreLines.plan(style, { ...target, ...planned }),
      )
    }
    const verb = Option.isNone(typed.moment) ? "Go back to" : "Restore"
    const task = yield* Effect.acquireRelease(
      attempt(() => RestoreTask.begin(filename, root, `${verb} the files of ${at(position)} in ${root}`)),
      ({ close }) => Effect.promise(close),
    )
    const { tree } = yield* attempt(task.look)
    const planned = yield* planOf(target, tree, filename)
    const { steps } = planned
    if (!json)
      yield* Effect.forEach(RestoreLines.plan(Output.styleOf(process.stdout), { ...target, ...planned }), Output.write)
    if (steps.length === 0) yield* attempt(() => task.leave("achieved", "the files are as they were"))
    else if (!(yield* agrees(Effect.map(Question.ask("Write these? [y/N] "), Question.isYes)))) {
      yield* attempt(() => task.leave("abandoned", "the user did not agree"))
      return yield* Output.write("Nothing was written.")
    }
    const unhidden = yield* RecordedFiles.reading(() => InPlace.unhidden(root, steps, tree, task.store))
    const recorded =
      steps.length === 0
        ? undefined
        : yield* attempt(() => task.dispatch({ ...target, unhidden }, target.continues(tree)))
    const failed = yield* carriedOut(json, steps, { root, contents: task.store, stays: fs.realpathSync(process.cwd()) })
    const restored = steps.length - failed.length
    const left = [...planned.left, ...failed]
    if (recorded !== undefined)
      yield* attempt(() => task.end(failed.length === 0, { restored, left: left.length })).pipe(
        Effect.tapError(() =>
          Output.note(`${Text.count(restored, "path")} restored, but the log does not say that the restore ended:`),
        ),
      )
    if (failed.length > 0 || (left.length > 0 && !partial))
      return yield* new NotAllRestored({ directory: root, restored, left, isAcceptable: failed.length === 0 })
    const document = { ...documentOf(target, planned), taskId: task.taskId, before: recorded?.before, restored, left }
    yield* Output.show(json, document, (style) => [
      recorded === undefined
        ? `${style.good("Nothing to restore")}: all files that can be compared are already as they were at ${at(position)}`
        : `${left.length === 0 ? style.good("Restored") : style.warn("Restored in part")}: ${Text.count(restored, "path")} of ${at(position)} in ${oneLine(root)}, each verified against the recording. The previous files are those of ${at(recorded.before)}: \`hindcast files restore --undo\` goes back to them.`,
    ])
  }).pipe(Effect.scoped)

interface Target extends Omit<RestoreRecord.Restore, "before" | "unhidden"> {
  readonly root: string
  readonly position: number
  readonly tree: Tree
  readonly store: ContentStore
  readonly evidence: (present: Tree) => Removal.Evidence
  readonly sessions: ReadonlyArray<RestoreLines.OpenSession>
  /**
   * The position to which `--undo` returns if this restore completes an interrupted one and nobody has written since.
   * Undefined otherwise: it then returns to the present files.
   */
  readonly continues: (present: Tree) => number | undefined
}

const find = ({ json, moment, task, trustLog }: Typed) =>
  Effect.gen(function* () {
    yield* TrustLog.settled({ trustLog, json })
    const now = yield* RecordedFiles.open({})
    const restores = yield* RestoreRecord.past(now.log, now.looks)
    const last = restores.begun.at(-1)
    const undo = Option.isNone(moment)
    if (undo && last === undefined) return yield* new NothingToUndo({ root: now.root })
    // Completes an interrupted undo.
    const goal = last?.undo === true && !last.hasEnded ? last.at : last?.before
    const recorded = yield* OpenedFiles.open({ at: Option.orElseSome(moment, () => `@${goal}`), task })
    const { root, timeline, position, store } = recorded
    yield* assertHere(root)
    const tree = yield* RecordedContent.treeAfter(recorded, recorded.looks)
    const noted = yield* RemovalEvidence.notedIn(recorded.log, recorded.looks, position)
    const { looks } = now
    const evidence = (present: Tree) =>
      RemovalEvidence.of({ root, position, recorded: tree, store, looks, restores, noted }, present)
    const open = yield* TaskList.open(yield* EventLog)
    const here = new Set(now.looks.map(({ taskId }) => taskId))
    const sessions = open.flatMap(([taskId, { agent }]) => (here.has(taskId) ? [{ taskId, agent }] : []))
    const continues = (present: Tree) => {
      if (last === undefined || last.hasEnded || last.at !== position || last.timeline !== timeline) return undefined
      const before = FileVersions.treeAfter(
        now.looks.filter(({ event }) => event.position <= last.before),
        now.treeOf,
      )
      return before !== undefined && RestorePlan.isBetween(present, before, tree) ? last.before : undefined
    }
    return { root, timeline, position, at: position, undo, tree, store, evidence, sessions, continues } satisfies Target
  })

/** Fails unless the working directory's files are those of the root, and the user's. */
const assertHere = (root: string): Effect.Effect<void, NotTheWorkspace> =>
  Effect.suspend(() => {
    const here = Root.around(process.cwd())
    if ("refused" in here) return new NotTheWorkspace({ expected: root, found: here.refused })
    if (here.root !== root) return new NotTheWorkspace({ expected: root, found: here.root })
    const user = process.getuid?.()
    const { uid } = fs.statSync(root)
    return user === undefined || user === uid
      ? Effect.void
      : new NotTheWorkspace({ expected: root, found: `that user ${uid} owns it, and you are user ${user}` })
  })

const present = ({ root, store }: Target, log: string): Effect.Effect<Tree, RestoreTask.SnapshotFailed> =>
  Effect.try({
    try: () => PresentFiles.look({ root, store, own: [log], hasSecret: Redaction.make().isIn }).tree,
    catch: (cause) =>
      new RestoreTask.SnapshotFailed({ root, reason: cause instanceof Error ? cause.message : String(cause) }),
  })

/** @param willHold whether the present contents will be in the store, although they are not yet */
const planOf = (
  { root, tree, store, evidence }: Target,
  present: Tree,
  log: string,
  willHold = false,
): Effect.Effect<RestorePlan.Plan, StoreUnavailable> =>
  RecordedFiles.reading(() =>
    InPlace.plan({ root, present, recorded: tree, store, own: [log], evidence: evidence(present), willHold }),
  )

/** Carries out steps, then compares the disk with their intended results; returns those that failed. */
const carriedOut = (json: boolean, steps: ReadonlyArray<OwnChange>, place: InPlace.Place) =>
  Effect.gen(function* () {
    const left: Array<Left> = []
    const done: Array<OwnChange> = []
    const each = (verb: string, all: ReadonlyArray<OwnChange>, work: (step: OwnChange) => void) =>
      ProgressLine.during({ verb, unit: "files", json }, (onProgress) =>
        Effect.forEach(
          all,
          (step, index) =>
            Effect.zipRight(
              Effect.sync(() => work(step)),
              onProgress(index + 1, all.length),
            ),
          { discard: true },
        ),
      )
    yield* each("restored", steps, (step) => {
      const why = InPlace.carryOut(place, step)
      if (why === undefined) done.push(step)
      else left.push({ path: step.path, why })
    })
    yield* each("compared", done, (step) => {
      const why = InPlace.difference(place.root, step)
      if (why !== undefined) left.push({ path: step.path, why: `restored, but ${why}` })
    })
    return left
  })

const documentOf = ({ root, timeline, position, undo, sessions }: Target, { steps, left }: RestorePlan.Plan) => ({
  root,
  timeline,
  at: position,
  undo,
  changes: steps.map((step) => {
    const entry = step.kind === "removed" ? step.before : step.after
    const mode = step.kind === "removed" ? undefined : step.after.mode.toString(8).padStart(3, "0")
    return { path: step.path, kind: step.kind, ...(entry.kind === "link" ? { link: true } : {}), ...defined({ mode }) }
  }),
  left,
  sessions,
})

/** Runs work whose promise rejects with tagged errors; any other is a defect. */
const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, Tagged> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => {
      if (cause instanceof Error && "_tag" in cause && typeof cause._tag === "string") return cause as Tagged
      throw cause
    },
  })

type Tagged = Error & { readonly _tag: string }
