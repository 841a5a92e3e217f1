/** An open task as agents and programs use it: perceive, act, say, consult, decide and close. */

import { Cause, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as Recorder from "../../events/log/Recorder.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { closeScope } from "../../platform/closeScope.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type ActError, act, type CommandOutcome } from "../acting/CommandExecution.ts"
import * as TaskLifecycle from "../context/TaskLifecycle.ts"
import type { Restore } from "../instances/Instance.ts"
import * as Scoring from "../scoring/Scoring.ts"
import * as IntervalReadings from "../sensing/IntervalReadings.ts"
import { type PerceiveError, type PerceiveOptions, perceive } from "../sensing/Perception.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import * as Capabilities from "./Capabilities.ts"
import type * as Environments from "./Environments.ts"
import * as Inputs from "./Inputs.ts"
import * as ModelCalls from "./ModelCalls.ts"
import { ActOptions, CausedBy } from "./OpenOptions.ts"
import type { KernelContext, OpenTask } from "./OpenTask.ts"
import * as PinnedVersions from "./PinnedVersions.ts"

export { OpenOptions, openFields } from "./OpenOptions.ts"

/** An open task. */
export interface Task {
  readonly id: string
  readonly goal: string
  readonly seed: number
  /** Reads every active sensor, by priority. With a deadline, only sensors whose turn comes before it. */
  readonly perceive: (
    options?: PerceiveOptions,
  ) => Effect.Effect<ReadonlyArray<Reading>, TaskLifecycle.TaskClosed | PerceiveError>
  /** The sensors and actuators that the task has now, as the manifests of its plugins describe them. */
  readonly capabilities: () => Effect.Effect<Capabilities.Capabilities, LogError>
  /** Takes a command through the gate to its actuator. Returns how it ended. */
  readonly act: (
    actuator: string,
    args?: JsonObject,
    options?: ActOptions,
  ) => Effect.Effect<CommandOutcome, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /** Records a message of the agent. */
  readonly say: (
    content: string,
    options?: CausedBy,
  ) => Effect.Effect<Event, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model by running `answering`, and records the request and the response. A replay returns the
   * recorded response without a call. Requests that an agent makes outside of `consult` are not recorded, so a replay
   * makes them again.
   */
  readonly consult: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: Effect.Effect<ModelCalls.ModelCallResponse, E>,
  ) => Effect.Effect<Json, E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model as `consult` does, and returns the whole response, with the tokens that it used. An answer
   * that fails with `ModelCallFailed`, and one that is cancelled, is recorded too, with what had come of it.
   */
  readonly ask: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: ModelCalls.Answering<E>,
    options?: ModelCalls.AskOptions,
  ) => Effect.Effect<
    ModelCalls.ModelCallResponse,
    E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError
  >
  /**
   * Takes what was said to the agent and was not delivered yet (`InputReceived` in the task's stream, from any process),
   * oldest first, and records that it is delivered. A replay answers with the inputs that were delivered at this point.
   */
  readonly inputs: (
    options?: Inputs.InputOptions,
  ) => Effect.Effect<ReadonlyArray<Inputs.Input>, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /** Records something about the agent itself, under its name. A replay records nothing. */
  readonly record: (agent: string, event: AgentEvent) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /** Records a decision. Returns its event, which is the cause of what follows from it. */
  readonly decided: (decision: Decision) => Effect.Effect<Event, TaskLifecycle.TaskClosed | AppendError>
  /** Closes the task: stops the plugin processes that serve it alone, and scores it by its plugins' measures. */
  readonly close: (
    outcome: TaskOutcome,
    reason?: string,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | LeaseLost | AppendError | LogError>
}

/** An event about an agent itself. */
export type AgentEvent = {
  readonly [Type in "GuideApplied" | "MemoryCompacted" | "BudgetExceeded" | "AgentStateChanged"]: {
    readonly type: Type
    readonly payload: PayloadOf<Type>
  }
}["GuideApplied" | "MemoryCompacted" | "BudgetExceeded" | "AgentStateChanged"]

/** An agent's choice, and the events that it is based on. */
export interface Decision {
  readonly agent: string
  readonly choice: JsonObject
  /** The events that it was based on. The newest is its cause. */
  readonly basedOn: ReadonlyArray<Event>
  readonly rationale?: string
}

/** A task that was recorded as opened, with what is needed to run it. */
export interface Opening extends Environments.Participants {
  readonly id: string
  readonly seed: number
  readonly goal: string
  /** Appends to the task's stream. It is the stream's only recorder. */
  readonly recorder: Recorder.Recorder
  /** The event that the task's events are caused by. */
  readonly openedBy: string
  /** The name of the instances that serve this task alone: its id, or in a fork `id@timeline`. */
  readonly instanceName: string
  /** Number of earlier perceptions. */
  readonly perceptions: number
  /** Whether sensors with an interval are read by themselves. Default: true. */
  readonly intervals?: boolean
}

/**
 * Starts a task that was recorded as opened. It is uninterruptible except within `restore`. If setting up an
 * environment fails, the task is closed.
 */
export const begin = <E>(
  kernel: KernelContext,
  {
    recorder,
    id,
    seed,
    goal,
    openedBy,
    instanceName,
    perceptions,
    intervals = true,
    rubric,
    takesPart,
    registry,
  }: Opening,
  restore: Restore,
  setUp: (task: OpenTask) => Effect.Effect<void, E>,
): Effect.Effect<Task, E> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(kernel.scope, ExecutionStrategy.sequential)
    const lifecycle = yield* TaskLifecycle.make(id)
    const order = yield* Effect.makeSemaphore(1)
    let perceived = perceptions
    const context: OpenTask = {
      ...recorder,
      kernel: PinnedVersions.pin(kernel, registry),
      id,
      instanceName,
      seed,
      openedBy,
      scope,
      takesPart,
      instance: (plugin, registry) => kernel.instances.get(plugin, registry, { id, instanceName, seed, scope }),
      oneAtATime: oneAtATime(),
      nextPerception: () => ++perceived,
      inOrder: order.withPermits(1),
      documents: new Map<string, Json>(),
    }

    const inputs = Inputs.make({ id, log: kernel.log, arrivals: kernel.inputs, recorder })
    const interruption = { waits: inputs.has(INTERRUPTING), arrives: inputs.awaited(INTERRUPTING) }

    const close = (outcome: TaskOutcome, reason?: string) =>
      lifecycle.close(
        Effect.gen(function* () {
          yield* kernel.lease.held
          return yield* recorder.record({
            type: "TaskClosed",
            causationId: openedBy,
            payload: { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) },
          })
          // The kernel that took over has recorded the task's end. The processes that served it here are stopped.
        }).pipe(Effect.tapErrorTag("LeaseLost", () => closeScope(scope, Exit.void))),
        ({ id: closedBy }) =>
          Effect.zipRight(
            closeScope(scope, Exit.void),
            Scoring.scoreClosed(kernel.log, id, rubric, closedBy, kernel.critics(context.kernel.registry)),
          ),
      )

    // A task that is still open when the kernel ends is abandoned.
    const abandon = close("abandoned", "the kernel ended").pipe(
      // If the lease was lost, the kernel that took over has recorded the task's end.
      Effect.catchTags({ TaskClosed: () => Effect.void, LeaseLost: () => Effect.void }),
      Effect.catchAllCause((cause) => ProgramLog.error(`task ${id} could not be closed`, cause)),
    )
    yield* Scope.addFinalizer(scope, abandon)
    yield* Scope.extend(kernel.pushed.listen({ instanceName, recorder, openedBy, takesPart, ...lifecycle }), scope)
    yield* restore(setUp(context)).pipe(
      Effect.onExit(
        Exit.match({
          onSuccess: () => Effect.void,
          onFailure: (cause) => Effect.ignore(close(...endOf(cause))),
        }),
      ),
    )

    // Closing the task interrupts it, like all work in progress, before the end is recorded.
    if (intervals)
      yield* Effect.forkIn(Effect.interruptible(lifecycle.runUntilClosed(IntervalReadings.run(context))), scope)

    return {
      id,
      goal,
      seed,
      capabilities: () =>
        Effect.map(context.kernel.registry.state, (registry) => Capabilities.offered(registry, takesPart)),
      perceive: (options) => lifecycle.runUntilClosed(perceive(context, options)),
      act: (actuator, args = {}, options = {}) =>
        Effect.flatMap(Options.decode("act", ActOptions, options), ({ causationId = openedBy, callId }) =>
          lifecycle.runUntilClosed(act(context, actuator, args, causationId, callId)),
        ),
      say: (content, options = {}) =>
        Effect.flatMap(Options.decode("say", CausedBy, options), ({ causationId = openedBy }) =>
          lifecycle.ifOpen(
            context.record({
              type: "MessageSent",
              causationId,
              payload: { content: plainText(content), format: "text" },
            }),
          ),
        ),
      consult: (question, answering) =>
        Effect.map(lifecycle.runUntilClosed(ModelCalls.ask(context, question, answering)), ({ response }) => response),
      ask: (question, answering, options) =>
        lifecycle.runUntilClosed(ModelCalls.ask(context, question, answering, options, interruption)),
      inputs: (options = {}) =>
        Effect.flatMap(Options.decode("inputs", Inputs.InputOptions, options), (decoded) =>
          lifecycle.runUntilClosed(inputs.take(decoded)),
        ),
      record: (agent, event) =>
        lifecycle.ifOpen(Effect.asVoid(recorder.as(`agent:${agent}`).record({ ...event, causationId: openedBy }))),
      decided: ({ agent, choice, basedOn, rationale }) =>
        lifecycle.ifOpen(
          recorder.as(`agent:${agent}`).record({
            type: "DecisionMade",
            causationId: basedOn.at(-1)?.id ?? openedBy,
            payload: {
              agent,
              choice,
              basedOn: basedOn.map(({ position }) => position),
              ...(rationale === undefined ? {} : { rationale }),
            },
          }),
        ),
      close,
    }
  })

/** The recorder of a task's stream, on the log's own timeline. All appends to that stream go through it. */
export const recorderOf = (log: KernelContext["log"], id: string): Recorder.Recorder =>
  Recorder.make(log, { stream: `task/${id}`, taskId: id, actor: "kernel" })

const INTERRUPTING: Inputs.InputOptions = { deliveries: ["interrupting"] }

/** Serializes the readings of each sensor. */
const oneAtATime = (): OpenTask["oneAtATime"] => {
  const turns = new Map<string, Effect.Semaphore>()
  return (sensor, reading) => {
    const turn = turns.get(sensor) ?? Effect.unsafeMakeSemaphore(1)
    turns.set(sensor, turn)
    return turn.withPermits(1)(reading)
  }
}

/** The outcome and reason of a task whose set-up or agent failed or was interrupted. */
export const endOf = (cause: Cause.Cause<unknown>): readonly [TaskOutcome, string] => {
  if (Cause.isInterruptedOnly(cause)) return ["abandoned", "it was interrupted"]
  const problem = Cause.squash(cause)
  return ["failed", problem instanceof Error ? problem.message : String(problem)]
}
