/** The command `hindcast replay`: an agent repeats a recorded task, up to its first divergence. */
import { Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import { EventLog, MAIN } from "../../events/log/EventLog.ts"
import * as Replay from "../../kernel/replay/Replay.ts"
import * as TreeReplay from "../../kernel/replay/trees/TreeReplay.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "../command/BadInput.ts"
import {
  argument,
  common,
  flag,
  given,
  milliseconds,
  oneOf,
  positive,
  repeatedText,
  TASK,
  wholeNumber,
} from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as TrustLog from "../command/TrustLog.ts"
import * as ReplayPage from "../pages/time/ReplayPage.ts"
import * as ClosedProgram from "../record/ClosedProgram.ts"
import * as Program from "../record/Program.ts"
import * as ReplayProgram from "../record/ReplayProgram.ts"
import * as AgentModule from "../task/AgentModule.ts"
import * as AgentOption from "../task/AgentOption.ts"
import * as ConversationTask from "../task/ConversationTask.ts"
import { at, count, json as jsonText, moment } from "../terminal/Text.ts"

/** The agent diverged from the recording. The log cannot tell what would have followed. */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly taskId: string
  readonly timeline: string
  readonly position: number
  /** The position of the task's last event before the divergence. */
  readonly after: number
  readonly kind: string
}> {
  override get message() {
    const asked = this.kind.replaceAll("-", " ")
    return `Task ${this.taskId} diverged ${at(this.position)} (${asked}). \`hindcast fork ${quoteWord(moment(this.timeline, this.after))} --task ${quoteWord(this.taskId)} --agent FILE\` continues from right before it.`
  }
}

/** Tasks below a replayed one were left out, so that nobody knows whether the tree repeats. */
export class TreeNotReplayed extends Data.TaggedError("TreeNotReplayed")<{
  readonly taskId: string
  readonly left: number
  /** Those that the log does not have. */
  readonly missing: ReadonlyArray<string>
}> {
  override get message() {
    const { taskId, left, missing } = this
    const tasks = `${count(left, "task")} below ${quoteWord(taskId)} ${left === 1 ? "was" : "were"} not replayed`
    return missing.length > 0
      ? `${tasks}: the log does not have ${ReplayPage.listed(missing)}. \`--alone\` replays the task without them.`
      : `${tasks}. \`--below FILE\` names the agents of such tasks, and \`--alone\` leaves them out.`
  }
}

const CONTEXT = 4

export const replay = Command.make(
  "replay",
  {
    ...common,
    task: argument("task", TASK),
    ...AgentOption.options("the agent to replay"),
    timeline: TimelineOption.timeline,
    deadlineMs: positive("deadline").pipe(
      Options.withDescription(
        "Seconds that the agent may take for each decision; a slower one is a divergence. Default: no limit",
      ),
      milliseconds,
      Options.optional,
    ),
    live: oneOf("live", ["model", "tools"]).pipe(
      Options.withDescription(
        "With a program after --: the requests to send again: model (a regression test of a prompt, without tool calls) or tools (all but those to models). Default: none",
      ),
      Options.optional,
    ),
    below: repeatedText(
      "below",
      "FILE: the agent of tasks that the task started, by its name; repeat it for several. Replays these tasks, too",
    ),
    alone: flag(
      "alone",
      "Leave out the tasks that the task started. Without it and --below, a task that has some exits with 2",
    ),
    part: wholeNumber("part", 1).pipe(
      Options.withDescription(
        "With a program after --, if several processes recorded the task one after another: the number of the process to replay, from 1",
      ),
      Options.optional,
    ),
    trustLog: TrustLog.option,
    allowHost: ClosedProgram.allowHost,
    words: Program.words,
  },
  ({ log, json, task, timeline, deadlineMs, words, live, part, below, alone, trustLog, allowHost, ...typed }) =>
    inWholeLog((whole) =>
      Effect.gen(function* () {
        const taskId = yield* Ids.task(task)
        if (words.length > 0 && json) {
          const found = "a program after --, whose output is its own"
          return yield* new BadInput({ input: "--json", expected: "an agent of Hindcast's own", found })
        }
        if (words.length > 0 && below.length > 0) {
          const found = "a program after --, whose task has none below it"
          return yield* new BadInput({ input: "--below", expected: "an agent of Hindcast's own", found })
        }
        if (alone && (words.length > 0 || below.length > 0)) {
          const found = words.length > 0 ? "a program after --" : "--below, which replays the tasks below"
          return yield* new BadInput({ input: "--alone", expected: "a task of an agent of Hindcast's own", found })
        }
        if (words.length > 0 && Option.isSome(live)) yield* TrustLog.settled({ trustLog, json })
        if (words.length > 0) return yield* ReplayProgram.replay(taskId, words, { live, part, allowHost })
        const [ofProgram] = [
          ...(Option.isSome(live) ? [`--live ${live.value}`] : []),
          ...(Option.isSome(part) ? [`--part ${part.value}`] : []),
          ...allowHost.map((host) => `--allow-host ${host}`),
        ]
        if (ofProgram !== undefined) {
          const expected = "a program after --, such as -- node agent.js"
          return yield* new BadInput({ input: ofProgram, expected, found: "an agent of Hindcast's own" })
        }
        const conversation = yield* ConversationTask.isOne(taskId)
        const loaded = yield* AgentOption.load(typed, "replay", { conversation })
        if (below.length > 0) {
          const agents = yield* Effect.forEach(below, AgentModule.load)
          const options = { agents, timeline: Option.getOrElse(timeline, () => MAIN), ...given({ deadlineMs }) }
          const tree = yield* whole(TreeReplay.replay(taskId, loaded, options))
          yield* Output.show(json, tree, (style) => ReplayPage.tree(style, tree))
          for (const report of tree.tasks) yield* whole(parted(report))
          const { missing } = tree
          if (missing.length > 0) return yield* new TreeNotReplayed({ taskId, left: missing.length, missing })
          return
        }
        const begun = yield* Replay.begin(taskId, loaded, given({ deadlineMs }))
        const report = yield* Effect.onInterrupt(begun.report, () => Output.note(stoodAt(begun.standing(), json)))
        const before = report.divergence === null ? [] : yield* eventsBefore(report, report.divergence.position)
        yield* Output.show(json, report, (style) => ReplayPage.lines(style, report, before))
        yield* parted(report)
        const { left, missing } = yield* whole(TreeReplay.leftOut(taskId, report.timeline))
        if (left > 0 && !alone) return yield* new TreeNotReplayed({ taskId, left, missing })
        if (left > 0) yield* Output.note(ReplayPage.notReplayed(left, json))
      }).pipe(TimelineOption.provide(timeline)),
    ).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Run an agent on a recorded task, using only the recording, and show whether and where it diverges (exit code 2). Or, after --, run a program that `hindcast record` recorded",
  ),
)

/** Gives the command the whole log next to the view of its timeline: the children of a forked task are on `main`. */
const inWholeLog = <A, E, R>(
  command: (
    whole: <B, E2>(effect: Effect.Effect<B, E2, EventLog | Projector>) => Effect.Effect<B, E2>,
  ) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const [log, projector] = [yield* EventLog, yield* Projector]
    return yield* command((effect) =>
      effect.pipe(Effect.provideService(EventLog, log), Effect.provideService(Projector, projector)),
    )
  })

/** Fails if a task diverged. */
const parted = (report: Replay.ReplayReport) =>
  Effect.gen(function* () {
    if (report.divergence === null) return
    const { position, kind } = report.divergence
    const before = yield* eventsBefore(report, position)
    const after = before.findLast((event) => event.position < position)?.position ?? position - 1
    return yield* new Diverged({ taskId: report.taskId, timeline: report.timeline, position, after, kind })
  })

const stoodAt = (standing: Replay.Standing, json: boolean): string => {
  if (json) return jsonText({ stood: standing })
  const { position, decision, decisions } = standing
  const place = position === null ? "after the last recorded event" : at(position)
  const counted = decisions === 0 ? "" : `, at decision ${decision} of ${decisions}`
  return `The replay was ${place}${counted}. \`--deadline SECONDS\` ends one whose agent does not answer.`
}

/** The task's last events up to and including a position. */
const eventsBefore = ({ taskId, timeline }: Replay.ReplayReport, position: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const all = yield* log.readPage({ timeline, taskId, until: position }, Number.MAX_SAFE_INTEGER)
    return all.slice(-CONTEXT - 1)
  })
