/**
 * Carries out the tools that call agents (`Agent.asTool`): each command has one child task, which is started once, and
 * continued after a crash.
 */

import { Cause, Data, Effect, Exit, Option, Stream } from "effect"
import { CaughtUp, type EventLog, LeaseLost, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import { sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as Agent from "../agents/Agent.ts"
import type { RunOptions } from "../agents/runAgent.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import type { AgentCall, CallAgent, CallingCommand } from "../program/AgentCall.ts"
import type { RunningTasks } from "../tasks/RunningTasks.ts"
import * as ChildSpending from "./ChildSpending.ts"
import type * as ChildTasks from "./ChildTasks.ts"

/** The task of a called agent failed or was abandoned. */
export class ChildTaskEnded extends Data.TaggedError("ChildTaskEnded")<{
  readonly taskId: string
  readonly agent: string
  readonly outcome: TaskOutcome
  readonly reason: string | undefined
}> {
  override get message() {
    const { agent, taskId, outcome, reason } = this
    return `${agent} did not finish task ${taskId}, which ended as ${outcome}${reason === undefined ? "" : `: ${reason}`}`
  }
}

/** The parts of a kernel that run children. */
export interface Services {
  readonly log: EventLog.Service
  readonly running: Pick<RunningTasks, "has">
  readonly run: (agent: Agent.Agent, options: RunOptions, cause: ChildTasks.Cause) => Effect.Effect<TaskAudit, unknown>
  readonly resume: (taskId: string, agent: Agent.Agent) => Effect.Effect<TaskAudit, unknown>
}

/**
 * Runs the called agent on the command's child task; continues that task if an earlier kernel left it; or only reads how
 * it ended. Interrupting the call abandons the task. Fails if the task cannot be started, or ends as failed or abandoned.
 */
export const call =
  (services: Services): CallAgent =>
  (called, args, command) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { log } = services
        const agent = yield* Options.decode("asTool", Agent.Agent, called.agent(), ["agent"])
        const taskId = childOf(command)
        const worked = yield* Effect.exit(restore(work(services, agent, taskId, called, args, command)))
        // The kernel closes a cancelled task on its own.
        if (Exit.isFailure(worked) && becauseOf(worked) === "cancelled") yield* restore(closed(log, taskId))
        const standing = yield* TaskList.standing(log, taskId)
        if (standing === undefined || standing.outcome === null) {
          if (standing !== undefined) command.onChild({ taskId })
          // A suspended task stays open, and so does its parent: the command must not end.
          if (Exit.isFailure(worked) && becauseOf(worked) === "suspended") return yield* restore(Effect.never)
          yield* worked
          return yield* Effect.dieMessage(`task ${taskId} is still open after its agent's work`)
        }
        const { outcome, reason } = standing
        command.onChild({ taskId, outcome, used: yield* ChildSpending.of(log, taskId) })
        if (outcome === "failed" || outcome === "abandoned") {
          return yield* new ChildTaskEnded({ taskId, agent: Agent.fullName(agent), outcome, reason })
        }
        return { task: taskId, outcome, answer: yield* answerIn(log, taskId), ...defined({ reason }) }
      }),
    )

const work = (
  services: Services,
  agent: Agent.Agent,
  taskId: string,
  { goal, maxSteps, budget, plugins }: AgentCall,
  args: unknown,
  command: CallingCommand,
): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    const standing = yield* TaskList.standing(services.log, taskId)
    if (standing === undefined) {
      const options: RunOptions = { id: taskId, goal: goal(args), ...defined({ maxSteps, budget, plugins }) }
      const { taskId: parent, timeline, commandId, causationId, budget: left } = command
      return yield* services.run(agent, options, { taskId: parent, timeline, commandId, causationId, budget: left })
    }
    if (standing.outcome !== null) return undefined
    // Somebody may have resumed it before its parent.
    return yield* services.running.has(taskId) ? closed(services.log, taskId) : services.resume(taskId, agent)
  })

/** The id of a command's child. A fork may continue a command, and starts a child of its own. */
const childOf = ({ commandId, timeline }: CallingCommand): string =>
  timeline === MAIN ? commandId : `${commandId}-${sha256(timeline).slice(0, 8)}`

/** Waits until a task is closed. */
const closed = (log: EventLog.Service, taskId: string): Effect.Effect<void, LogError> =>
  Effect.asVoid(
    log.follow({ timeline: log.timeline, taskId, types: ["TaskClosed"] }).pipe(
      Stream.filter((item) => !(item instanceof CaughtUp)),
      Stream.runHead,
    ),
  )

/** What ended a child's work, if that was neither its agent nor an interruption. */
const becauseOf = ({ cause }: Exit.Failure<unknown, unknown>): TaskClosed["because"] => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (error instanceof TaskClosed) return error.because
  return error instanceof LeaseLost && error.suspended !== undefined ? "suspended" : undefined
}

/** A task's structured answer, otherwise its last words to a person; null without either. */
const answerIn = (log: EventLog.Service, taskId: string): Effect.Effect<Json, LogError> =>
  Effect.gen(function* () {
    let answer: Json | undefined
    let words: string | undefined
    // Forks of the task may have said something else.
    const query = { timeline: log.timeline, taskId, types: ["DecisionMade", "MessageSent"] }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        if (is(event, "DecisionMade")) answer = event.payload.choice.answer ?? answer
        if (is(event, "MessageSent")) words = event.payload.content
      }
    })
    return answer ?? words ?? null
  })
