/** The command `hindcast files bisect`: the first step after which a command fails. */
import * as os from "node:os"
import { Command, Options } from "@effect/cli"
import { Cause, Effect, Exit, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Redaction from "../../record/http/Redaction.ts"
import * as CopiedFiles from "../../workspace/bisect/CopiedFiles.ts"
import * as FileBisection from "../../workspace/bisect/FileBisection.ts"
import * as LeadingOut from "../../workspace/bisect/LeadingOut.ts"
import * as RecordedRuns from "../../workspace/bisect/RecordedRuns.ts"
import * as States from "../../workspace/bisect/States.ts"
import * as Tested from "../../workspace/bisect/Tested.ts"
import * as Origin from "../../workspace/history/Origin.ts"
import * as Changes from "../../workspace/model/Changes.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as ComparedFiles from "../../workspace/questions/ComparedFiles.ts"
import * as OriginDocument from "../../workspace/questions/OriginDocument.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import * as NotRecorded from "../../workspace/restore/NotRecorded.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, MOMENT, optionalText, text, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as BisectLines from "../pages/files/BisectLines.ts"
import * as FileRuns from "./FileRuns.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

const options = {
  ...FilesOptions.common,
  run: text(
    "run",
    "The shell command. Its exit code says what a state is: 0 is good, 125 is skipped, any other up to 127 is bad, and more ends the search",
  ),
  from: optionalText("from", "The moment to begin at, where the command succeeds. Default: the first snapshot"),
  to: optionalText("to", `The moment to end at, where it fails: ${MOMENT}. Default: now`),
  task: FilesOptions.task,
  timeoutMs: FileRuns.timeoutMs,
  jobs: wholeNumber("jobs", 1).pipe(
    Options.withDescription(
      "The number of runs at once, each in a directory of its own. Default: 1, but both ends at once on a machine with two cores or more",
    ),
    Options.optional,
  ),
  copy: FileRuns.copy,
  fresh: flag("fresh", "Repeat the runs that an earlier search recorded"),
  trustLog: TrustLog.option,
}

export const bisect = Command.make("bisect", options, (typed) =>
  Effect.gen(function* () {
    const { log, json, task, timeoutMs } = typed
    const jobs = Option.getOrElse(typed.jobs, () => 1)
    const endsAtOnce = Option.isNone(typed.jobs) && os.availableParallelism() > 1
    const command = typed.run.trim()
    if (command === "")
      return yield* new BadInput({ input: "--run", expected: 'a command, such as "npm test"', found: "none" })
    yield* TrustLog.settled(typed)
    const recorded = yield* OpenedFiles.open({ at: typed.to, task })
    const { looks, treeOf, store, root, timeline, position } = recorded
    const states = yield* statesFrom(recorded, typed.from)
    const scratch = yield* FileRuns.scratchDirectory
    const last = yield* treeIn(recorded, states.at(-1))
    const paths = typed.copy.map((one) => one.replace(/\/+$/, ""))
    const copied = yield* CopiedFiles.of(root, paths, last)
    const missing = yield* NotRecorded.namesIn(recorded, last, copied.tree)
    const linked = yield* RecordedFiles.reading(() => LeadingOut.ofLooks(looks, treeOf, store))
    yield* FileRuns.remarks(json, copied, missing, linked)
    const redaction = Redaction.make()
    const asked: RecordedRuns.Asked = {
      command: redaction.text(command),
      timeoutMs,
      copied: copied.tree.size === 0 ? null : States.digest(copied.tree),
    }
    const whole = yield* EventLog
    const known = typed.fresh ? [] : yield* RecordedRuns.read(whole, asked)
    const runs: Array<Tested.Tested> = []
    const inOrder = Tested.endsInOrder<Tested.Tested>(endsAtOnce ? states.length - 1 : 0)
    const onTested = (tested: Tested.Tested) => {
      if (!tested.isCached && tested.lost.length === 0) runs.push(tested)
      const told = inOrder(tested).map((one) => Output.note(BisectLines.progress(one)))
      return json ? Effect.void : Effect.all(told, { discard: true })
    }
    const found = yield* FileBisection.find({
      ...{
        states,
        looks,
        treeOf,
        contents: store,
        copied,
        command,
        timeoutMs,
        jobs,
        endsAtOnce,
        scratch,
        known,
        onTested,
      },
      advice: adviceOn(missing),
    }).pipe(
      Effect.onExit((exit) =>
        runs.length === 0
          ? Effect.void
          : FileRuns.record(
              log,
              RecordedRuns.events(asked, runs.map(FileRuns.recorded(redaction)), endOf(exit, redaction)),
            ),
      ),
    )
    const { good, bad } = found
    const origin = yield* Origin.finder(recorded.log).originOf(bad.state.look)
    const [before, after] = [yield* treeIn(recorded, good.state), yield* treeIn(recorded, bad.state)]
    const changes = Changes.between(before, after)
    const changed = yield* RecordedFiles.reading(() =>
      changes.map((change) => ComparedFiles.numbers(ComparedFiles.of(change, store))),
    )
    const document = {
      root,
      timeline,
      command,
      from: states[0]?.look.event.position,
      to: position,
      states: states.length,
      first: OriginDocument.ofLook(bad.state.look, origin),
      before: Tested.position(good),
      files: changed.map((one) => ComparedFiles.document(one, true)),
      output: bad.output,
      monotonic: found.goodAfterBad.length === 0,
      goodAfterBad: found.goodAfterBad.map(Tested.position),
      certain: found.tested.length === states.length && found.goodAfterBad.length === 0,
      missing,
      tested: found.tested.map(testDocument),
    }
    yield* Output.show(json, document, (style) =>
      BisectLines.lines(style, { ...found, command, states: states.length, origin, changed }),
    )
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forPast(typed.log))),
).pipe(
  Command.withDescription("The first step after which a command fails, by a binary search over the recorded files"),
)

/** The distinct states from a moment on: the first is as the files were then. */
const statesFrom = (recorded: RecordedFiles.RecordedFiles, from: Option.Option<string>) =>
  Effect.gen(function* () {
    const { looks, treeOf, timeline, position, root } = recorded
    const all = yield* RecordedFiles.reading(() => States.of(looks, treeOf))
    const start = Option.isSome(from) ? yield* Moment.locate(from.value) : undefined
    if (start !== undefined && start.timeline !== timeline) {
      const found = `${start.timeline} and ${timeline}`
      return yield* new BadInput({ input: "--from and --to", expected: "two moments of one timeline", found })
    }
    if (start !== undefined) yield* Moment.checkedRange({ after: start.position, until: position })
    const first = all.findLastIndex(({ look }) => look.event.position <= (start?.position ?? 0))
    const states = all.slice(Math.max(0, first))
    if (states.length > 1) return states
    const found = "one state: nothing changed in that range"
    return yield* new BadInput({ input: root, expected: "two recorded states or more", found, missing: true })
  })

const treeIn = ({ looks, treeOf }: RecordedFiles.RecordedFiles, state: States.State | undefined) =>
  RecordedFiles.reading((): Tree => (state && States.treeIn(state, looks, treeOf)) ?? new Map())

const adviceOn = (missing: ReadonlyArray<string>): string =>
  missing.length === 0
    ? "`--from` and `--to` choose another range."
    : `Missing from the runs (not in the snapshots): ${missing.join(", ")}. ${FileRuns.COPY} \`--from\` and \`--to\` choose another range.`

const endOf = (
  exit: Exit.Exit<FileBisection.FileBisection, Error>,
  redaction: Redaction.Redaction,
): RecordedRuns.Ended => {
  if (Exit.isSuccess(exit))
    return { outcome: "achieved", reason: `It first fails after @${Tested.position(exit.value.bad)}.` }
  const failure = Cause.failureOption(exit.cause)
  return Option.isSome(failure)
    ? { outcome: "failed", reason: redaction.text(failure.value.message.split("\n", 1)[0] ?? "") }
    : { outcome: "abandoned", reason: "The search was interrupted." }
}

const testDocument = (tested: Tested.Tested) => {
  const { tree, verdict, exitCode, ms, isCached, isLate, lost, omitted } = tested
  const facts = { verdict, exitCode, timedOut: isLate, cached: isCached, ms }
  return { position: Tested.position(tested), tree, ...facts, notRestored: [...lost, ...omitted] }
}
