/** Replays a recorded task together with the tasks that its agents started, each from its own recording. */

import { Data, Effect, Schema } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Projector } from "../../../projections/projector/Projector.ts"
import * as TaskList from "../../../projections/state/TaskList.ts"
import * as TaskTree from "../../../projections/tree/TaskTree.ts"
import { defined } from "../../../values/defined.ts"
import * as Options from "../../../values/Options.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import * as Agent from "../../agents/Agent.ts"
import * as Replay from "../Replay.ts"

/** Options of a tree's replay. */
export interface TreeReplayOptions extends Replay.ReplayOptions {
  /**
   * The agents of the tasks below, each found by its name. Default: those that the program's tools call
   * (`Agent.asTool`), and the agent of the task at the top.
   */
  readonly agents?: ReadonlyArray<Agent.Agent>
}

/** Schema of `TreeReplayOptions`. */
export const TreeReplayOptions = Options.of<TreeReplayOptions>({
  optional: { timeline: Options.Text, deadlineMs: Options.Milliseconds, agents: Schema.Array(Agent.Agent) },
})

/** The replays of a tree. */
export interface TreeReplay {
  readonly taskId: string
  readonly timeline: string
  /** `diverged` if any of the tasks did. */
  readonly verdict: Replay.ReplayReport["verdict"]
  /** Whether all recordings are complete, and the log has all tasks. */
  readonly complete: boolean
  /** The ids of called agents' tasks that the log does not have, such as a part of another log: nobody replayed them. */
  readonly missing: ReadonlyArray<string>
  /** The task, then the tasks below it: a child before its own children, siblings oldest first. */
  readonly tasks: ReadonlyArray<Replay.ReplayReport & { readonly depth: number }>
}

/** A task below has an agent that was not given, so that nobody could replay it. Nothing was replayed. */
export class AgentNotGiven extends Data.TaggedError("AgentNotGiven")<{
  readonly taskId: string
  readonly agent: string
  readonly given: ReadonlyArray<string>
}> {
  override get message() {
    return `Task ${this.taskId}: expected its agent ${this.agent} among those of the tasks below, found ${this.given.join(", ") || "none"}. Nothing was replayed.`
  }
}

/**
 * Replays a task and all tasks below it, one after another, offline: nothing is executed or appended. A command that
 * called an agent gets the recorded answer, and the called agent's own task is compared by its own replay, so that a
 * difference in any of them is found. The tree of a forked task has the tasks that the fork started.
 */
export const replay = (
  taskId: string,
  inputAgent: Agent.Agent,
  input: TreeReplayOptions = {},
): Effect.Effect<TreeReplay, Replay.ReplayError | AgentNotGiven, EventLog | Projector> =>
  Effect.gen(function* () {
    const agent = yield* Options.decode("replayTree", Agent.Agent, inputAgent, ["agent"])
    const { agents = [], timeline, deadlineMs } = yield* Options.decode("replayTree", TreeReplayOptions, input)
    const log = yield* EventLog
    const place = { taskId, timeline: timeline ?? log.timeline }
    const members = yield* TaskList.standings(log)
    const candidates = [...agents, agent]
    const below = yield* Effect.forEach(TaskTree.descendantsOf(members, place), ({ taskId, task, depth }) => {
      const found = Agent.recordedAs(candidates, task.agent)
      const given = candidates.map(Agent.fullName)
      return found === undefined
        ? new AgentNotGiven({ taskId, agent: task.agent, given })
        : Effect.succeed({ taskId, agent: found, depth, options: defined({ deadlineMs }) })
    })
    const top = { taskId, agent, depth: 0, options: defined({ timeline, deadlineMs }) }
    const tasks = yield* Effect.forEach([top, ...below], ({ taskId, agent, depth, options }) =>
      Effect.map(Replay.replay(taskId, agent, options), (report) => ({ ...report, depth })),
    )
    const own = timeline === undefined ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const missing = [
      ...(yield* missingBelow(own, members, taskId)),
      ...(yield* Effect.forEach(below, ({ taskId }) => missingBelow(log, members, taskId))).flat(),
    ]
    return {
      taskId,
      timeline: place.timeline,
      verdict: tasks.some(({ verdict }) => verdict === "diverged") ? ("diverged" as const) : ("identical" as const),
      complete: missing.length === 0 && tasks.every(({ complete }) => complete),
      missing,
      tasks,
    }
  })

/** The tasks of agents that a task called, as far as the log does not have them. */
const missingBelow = (log: EventLog.Service, members: TaskTree.Members<TaskTree.Member>, taskId: string) =>
  Effect.gen(function* () {
    const missing = new Set<string>()
    const query = { timeline: log.timeline, taskId, types: ["CommandSucceeded", "CommandFailed"] }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        if (!is(event, "CommandSucceeded") && !is(event, "CommandFailed")) continue
        const { child } = event.payload
        if (child !== undefined && SafeRecord.get(members, child.taskId) === undefined) missing.add(child.taskId)
      }
    })
    return [...missing]
  })

/** The tasks below a task, which a replay of that task alone does not repeat: their number, and those not in the log. */
export const leftOut = (taskId: string, timeline: string = MAIN) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const members = yield* TaskList.standings(log)
    const own = timeline === MAIN ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const missing = yield* missingBelow(own, members, taskId)
    return { left: TaskTree.descendantsOf(members, { taskId, timeline }).length + missing.length, missing }
  })
