import { Data, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { Event } from "../events/Event.ts"
import type { AppendError, LogError } from "../events/EventLog.ts"
import type { Json, JsonObject } from "../events/Json.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import { type ActError, act, type CommandOutcome } from "./Actuation.ts"
import * as Environments from "./Environments.ts"
import { perceive, type Reading } from "./Perception.ts"
import * as Recorder from "./Recorder.ts"
import { type FileUnreadable, measureName } from "./Rubric.ts"
import * as Scoring from "./Scoring.ts"
import type { KernelContext, TaskContext } from "./TaskContext.ts"

/** What a task is opened with. */
export interface OpenOptions {
  readonly goal: string
  /** Who works on it, as the log names it: `name@version`. Default: `program`. */
  readonly agent?: string
  /** The plugins that take part. Default: every active one. */
  readonly plugins?: ReadonlyArray<string>
  /** Options of environments, by plugin: a scenario, say. Default: what each manifest names. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
  /** Seeds the agent's and the plugins' randomness. Default: drawn from the kernel's seed. */
  readonly seed?: number
}

/** Open a new task: this one is closed. */
export class TaskClosed extends Data.TaggedError("TaskClosed")<{ readonly taskId: string }> {
  override get message() {
    return `Task ${this.taskId} is closed; nothing more is perceived or done in it. Open a new task.`
  }
}

export type OpenError = Environments.EnvironmentRefused | FileUnreadable | AppendError | LogError

/** An open task. */
export interface Task {
  readonly id: string
  readonly goal: string
  readonly seed: number
  /** Reads every active sensor, by priority. */
  readonly perceive: () => Effect.Effect<ReadonlyArray<Reading>, TaskClosed | AppendError | LogError>
  /** Takes a command through the gate to its actuator; answers how it ended. */
  readonly act: (
    actuator: string,
    args?: JsonObject,
    options?: { readonly causationId?: string },
  ) => Effect.Effect<CommandOutcome, TaskClosed | ActError>
  /** Records something that the agent says. */
  readonly say: (
    content: string,
    options?: { readonly causationId?: string },
  ) => Effect.Effect<Event, TaskClosed | AppendError>
  /** Records a decision; answers with its event, which is then the cause of what it leads to. */
  readonly decided: (decision: Decision) => Effect.Effect<Event, TaskClosed | AppendError>
  /** Ends the task, its plugins' processes that serve it alone, and scores it by its plugins' measures. */
  readonly close: (outcome: TaskOutcome, reason?: string) => Effect.Effect<void, TaskClosed | AppendError | LogError>
}

/** What an agent chose, and on what grounds. */
export interface Decision {
  readonly agent: string
  readonly choice: JsonObject
  /** Positions of what it was based on; the newest is its cause. */
  readonly basedOn: ReadonlyArray<Event>
  readonly rationale?: string
}

/** Opens a task: records it, then starts and resets the environments that take part. */
export const open = (
  kernel: KernelContext,
  id: string,
  seed: number,
  options: OpenOptions,
): Effect.Effect<Task, OpenError> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(kernel.scope, ExecutionStrategy.sequential)
    const { rubric, takesPart } = yield* Environments.participants(kernel, options.plugins)
    const recording = { stream: `task/${id}`, taskId: id, actor: "kernel" }
    const recorder = Recorder.make(kernel.log, recording)
    const opened = yield* recorder.record({
      type: "TaskOpened",
      payload: {
        goal: options.goal,
        agent: options.agent ?? "program",
        measures: rubric.measures.map(measureName),
        seed,
        ...(options.environment === undefined ? {} : { environment: options.environment }),
      },
    })
    let closed = false
    const context: TaskContext = {
      ...recorder,
      kernel,
      id,
      seed,
      openedBy: opened.id,
      scope,
      isOpen: () => !closed,
      takesPart,
      instance: (plugin, registry) => kernel.instances.get(plugin, registry, { id, seed, scope }),
      documents: new Map<string, Json>(),
    }

    const whileOpen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend(
        (): Effect.Effect<A, E | TaskClosed> => (closed ? Effect.fail(new TaskClosed({ taskId: id })) : effect),
      )

    const close = (outcome: TaskOutcome, reason?: string) =>
      Effect.gen(function* () {
        closed = true
        yield* kernel.confirmations.withdraw(id, "its task was closed")
        const event = yield* context.record({
          type: "TaskClosed",
          causationId: opened.id,
          payload: { outcome, ...(reason === undefined ? {} : { reason }) },
        })
        yield* Scope.close(scope, Exit.void)
        yield* Scoring.scoreClosed(kernel.log, id, rubric, event.id)
      }).pipe(Effect.uninterruptible)

    // Whoever leaves a task open when the kernel ends has abandoned it.
    yield* Scope.addFinalizer(
      scope,
      Effect.suspend(() => (closed ? Effect.void : close("abandoned", "the kernel ended"))).pipe(
        Effect.catchAllCause((cause) => Effect.logError(`task ${id} could not be closed`, cause)),
      ),
    )
    yield* Environments.reset(context, options.environment ?? {}).pipe(
      Effect.tapError((error) => close("failed", error.message)),
    )

    return {
      id,
      goal: options.goal,
      seed,
      perceive: () => whileOpen(perceive(context)),
      act: (actuator, args = {}, { causationId = opened.id } = {}) =>
        whileOpen(act(context, actuator, args, causationId)),
      say: (content, { causationId = opened.id } = {}) =>
        whileOpen(context.record({ type: "MessageSent", causationId, payload: { content, format: "text" } })),
      decided: ({ agent, choice, basedOn, rationale }) =>
        whileOpen(
          Recorder.make(kernel.log, { ...recording, actor: `agent:${agent}` }).record({
            type: "DecisionMade",
            causationId: basedOn.at(-1)?.id ?? opened.id,
            payload: {
              agent,
              choice,
              basedOn: basedOn.map(({ position }) => position),
              ...(rationale === undefined ? {} : { rationale }),
            },
          }),
        ),
      close: (outcome, reason) => whileOpen(close(outcome, reason)),
    }
  })
