import { Args, Command, Options } from "@effect/cli"
import { Data, Effect } from "effect"
import { EventLog } from "../events/EventLog.ts"
import * as Replay from "../kernel/Replay.ts"
import { common } from "./CommonOptions.ts"
import * as Ids from "./Ids.ts"
import * as OnTimeline from "./OnTimeline.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import * as ReplayPage from "./render/ReplayPage.ts"
import { at, moment } from "./render/Text.ts"
import * as AgentModule from "./run/AgentModule.ts"

/** The agent did otherwise than was recorded: what it would have met from there on, no log knows. */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly taskId: string
  readonly timeline: string
  readonly position: number
  /** The task's last event before that. */
  readonly after: number
  readonly kind: string
}> {
  override get message() {
    const asked = this.kind.replaceAll("-", " ")
    return `Task ${this.taskId} diverged ${at(this.position)} (${asked}). \`hindcast fork ${moment(this.timeline, this.after)} --task ${this.taskId} --agent FILE\` goes on from right before it.`
  }
}

/** Events before a divergence that are shown. */
const CONTEXT = 4

/** `hindcast replay TASK` */
export const replay = Command.make(
  "replay",
  {
    ...common,
    task: Args.text({ name: "task" }).pipe(
      Args.withDescription("A task's id, or at least four characters that it alone begins or ends with"),
    ),
    agent: Options.text("agent").pipe(
      Options.withDescription("A JavaScript module whose default export is an agent: the one to replay"),
    ),
    timeline: OnTimeline.timeline,
  },
  ({ log, json, task, agent, timeline }) =>
    Effect.gen(function* () {
      const loaded = yield* AgentModule.load(agent)
      const report = yield* Replay.replay(yield* Ids.task(task), loaded)
      const before = report.divergence === null ? [] : yield* eventsBefore(report, report.divergence.position)
      yield* Output.show(json, report, (style) => ReplayPage.lines(style, report, before))
      if (report.divergence !== null) {
        const { position, kind } = report.divergence
        const after = before.findLast((event) => event.position < position)?.position ?? position - 1
        return yield* new Diverged({ taskId: report.taskId, timeline: report.timeline, position, after, kind })
      }
    }).pipe(OnTimeline.provide(timeline), Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Let an agent work on a recorded task again, on what was recorded alone: is it identical, or where does it diverge? Exit code 2 where it does",
  ),
)

/** The last events of the task up to a position, that one included. */
const eventsBefore = ({ taskId, timeline }: Replay.Report, position: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const all = yield* log.readPage({ timeline, taskId, until: position }, Number.MAX_SAFE_INTEGER)
    return all.slice(-CONTEXT - 1)
  })
