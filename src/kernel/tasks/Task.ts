import { Cause, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as Recorder from "../../events/log/Recorder.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { closeScope } from "../../platform/closeScope.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type ActError, act, type CommandOutcome } from "../acting/CommandExecution.ts"
import * as TaskLifecycle from "../context/TaskLifecycle.ts"
import type { Restore } from "../instances/Instance.ts"
import { type FileUnreadable, measureName } from "../rules/Rubric.ts"
import * as Scoring from "../scoring/Scoring.ts"
import * as IntervalReadings from "../sensing/IntervalReadings.ts"
import { type PerceiveError, type PerceiveOptions, perceive } from "../sensing/Perception.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import * as Capabilities from "./Capabilities.ts"
import * as Environments from "./Environments.ts"
import * as ModelCalls from "./ModelCalls.ts"
import { CausedBy, type OpenOptions } from "./OpenOptions.ts"
import type { KernelContext, OpenTask } from "./OpenTask.ts"
import * as PinnedVersions from "./PinnedVersions.ts"
import { type TaskIdInvalid, TaskIdTaken } from "./TaskId.ts"

export { OpenOptions, openFields } from "./OpenOptions.ts"

export type OpenError =
  | SandboxConsentMissing
  | Options.InvalidOptions
  | Environments.EnvironmentRefused
  | FileUnreadable
  | TaskIdInvalid
  | TaskIdTaken
  | LeaseLost
  | AppendError
  | LogError

/** An open task. */
export interface Task {
  readonly id: string
  readonly goal: string
  readonly seed: number
  /** Reads every active sensor, by priority; with a deadline, those that come to their turn before it. */
  readonly perceive: (
    options?: PerceiveOptions,
  ) => Effect.Effect<ReadonlyArray<Reading>, TaskLifecycle.TaskClosed | PerceiveError>
  /** What can be perceived and done in it now, as the manifests of its plugins describe it. */
  readonly capabilities: () => Effect.Effect<Capabilities.Capabilities, LogError>
  /** Takes a command through the gate to its actuator; answers how it ended. */
  readonly act: (
    actuator: string,
    args?: JsonObject,
    options?: CausedBy,
  ) => Effect.Effect<CommandOutcome, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /** Records something that the agent says. */
  readonly say: (
    content: string,
    options?: CausedBy,
  ) => Effect.Effect<Event, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model by `answering`, and records what was asked and answered. A replay hands out the recorded answer and
   * asks nobody: what an agent asks in another way, a replay asks again.
   */
  readonly consult: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: Effect.Effect<ModelCalls.ModelCallResponse, E>,
  ) => Effect.Effect<Json, E | TaskLifecycle.TaskClosed | AppendError>
  /** Records a decision; answers with its event, which is then the cause of what it leads to. */
  readonly decided: (decision: Decision) => Effect.Effect<Event, TaskLifecycle.TaskClosed | AppendError>
  /** Ends the task, its plugins' processes that serve it alone, and scores it by its plugins' measures. */
  readonly close: (
    outcome: TaskOutcome,
    reason?: string,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | LeaseLost | AppendError | LogError>
}

/** What an agent chose, and on what grounds. */
export interface Decision {
  readonly agent: string
  readonly choice: JsonObject
  /** Positions of what it was based on; the newest is its cause. */
  readonly basedOn: ReadonlyArray<Event>
  readonly rationale?: string
}

/**
 * Opens a task: records it, then starts and resets the environments that take part. Whatever happens on the way, a task
 * that was recorded as opened is recorded as closed.
 */
export const open = (
  kernel: KernelContext,
  id: string,
  seed: number,
  options: OpenOptions,
): Effect.Effect<Task, OpenError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* kernel.lease.held
      const participants = yield* Environments.participants(kernel, options.plugins)
      yield* Environments.allKnown(participants.registry, options)
      yield* consented(kernel, participants)
      const recorder = recorderOf(kernel.log, id)
      // Of two that take one id, the log lets one.
      const recorded = recorder.recordFirst({
        type: "TaskOpened",
        payload: {
          goal: options.goal,
          agent: options.agent ?? "program",
          measures: participants.rubric.measures.map(measureName),
          plugins: participants.plugins,
          seed,
          ...(options.environment === undefined ? {} : { environment: options.environment }),
        },
      })
      const opened = yield* Effect.catchTag(
        recorded,
        "VersionConflict",
        (conflict): Effect.Effect<never, TaskIdTaken | AppendError> => {
          const [first] = conflict.missed
          return first === undefined ? Effect.fail(conflict) : new TaskIdTaken({ taskId: id, position: first.position })
        },
      )
      const opening = {
        ...participants,
        recorder,
        id,
        seed,
        goal: options.goal,
        openedBy: opened.id,
        place: id,
        perceptions: 0,
      }
      return yield* begin(kernel, opening, restore, (task) => Environments.reset(task, options.environment ?? {}))
    }),
  )

/** Fails before anything is recorded where a plugin that takes part would not be started, for want of consent. */
const consented = (kernel: KernelContext, { plugins }: Environments.Participants) =>
  Effect.flatMap(kernel.unconsented(plugins), ([first]) => first ?? Effect.void)

/** A task that was recorded as open, and is to be lived in. */
export interface Opening extends Environments.Participants {
  readonly id: string
  readonly seed: number
  readonly goal: string
  /** Appends to its stream: the one and only. */
  readonly recorder: Recorder.Recorder
  /** The event that it follows from. */
  readonly openedBy: string
  /** The name of its plugins' instances. */
  readonly place: string
  /** How often it was perceived in before. */
  readonly perceptions: number
  /** Whether sensors with an interval are read on their own. Default: true. */
  readonly intervals?: boolean
}

/**
 * Brings a task to life that was recorded as open; not to be interrupted but where `restore` lets it. What goes wrong in
 * setting up its worlds closes it.
 */
export const begin = <E>(
  kernel: KernelContext,
  { recorder, id, seed, goal, openedBy, place, perceptions, intervals = true, rubric, takesPart, registry }: Opening,
  restore: Restore,
  setUp: (task: OpenTask) => Effect.Effect<void, E>,
): Effect.Effect<Task, E> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(kernel.scope, ExecutionStrategy.sequential)
    const life = yield* TaskLifecycle.make(id)
    const order = yield* Effect.makeSemaphore(1)
    let perceived = perceptions
    const context: OpenTask = {
      ...recorder,
      kernel: PinnedVersions.pin(kernel, registry),
      id,
      place,
      seed,
      openedBy,
      scope,
      takesPart,
      instance: (plugin, registry) => kernel.instances.get(plugin, registry, { id, place, seed, scope }),
      oneAtATime: oneAtATime(),
      nextPerception: () => ++perceived,
      inOrder: order.withPermits(1),
      documents: new Map<string, Json>(),
    }

    const close = (outcome: TaskOutcome, reason?: string) =>
      life.close(
        Effect.gen(function* () {
          yield* kernel.lease.held
          return yield* recorder.record({
            type: "TaskClosed",
            causationId: openedBy,
            payload: { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) },
          })
          // Whoever took over has said how the task ended; the processes that served it here are of no more use.
        }).pipe(Effect.tapErrorTag("LeaseLost", () => closeScope(scope, Exit.void))),
        ({ id: closedBy }) =>
          Effect.zipRight(
            closeScope(scope, Exit.void),
            Scoring.scoreClosed(kernel.log, id, rubric, closedBy, kernel.critics(context.kernel.registry)),
          ),
      )

    // Whoever leaves a task open when the kernel ends has abandoned it.
    const abandon = close("abandoned", "the kernel ended").pipe(
      // Where the lease was lost, whoever took over has said how the task ended.
      Effect.catchTags({ TaskClosed: () => Effect.void, LeaseLost: () => Effect.void }),
      Effect.catchAllCause((cause) => ProgramLog.error(`task ${id} could not be closed`, cause)),
    )
    yield* Scope.addFinalizer(scope, abandon)
    yield* Scope.extend(kernel.pushed.listen({ place, recorder, openedBy, takesPart, ...life }), scope)
    yield* restore(setUp(context)).pipe(
      Effect.onExit(
        Exit.match({
          onSuccess: () => Effect.void,
          onFailure: (cause) => Effect.ignore(close(...endOf(cause))),
        }),
      ),
    )

    // Closing the task interrupts it before the end is recorded, as it does whatever is under way.
    if (intervals) yield* Effect.forkIn(Effect.interruptible(life.during(IntervalReadings.run(context))), scope)

    return {
      id,
      goal,
      seed,
      capabilities: () => Effect.map(kernel.registry.state, (registry) => Capabilities.offered(registry, takesPart)),
      perceive: (options) => life.during(perceive(context, options)),
      act: (actuator, args = {}, options = {}) =>
        Effect.flatMap(Options.decode("act", CausedBy, options), ({ causationId = openedBy }) =>
          life.during(act(context, actuator, args, causationId)),
        ),
      say: (content, options = {}) =>
        Effect.flatMap(Options.decode("say", CausedBy, options), ({ causationId = openedBy }) =>
          life.whileOpen(
            context.record({
              type: "MessageSent",
              causationId,
              payload: { content: plainText(content), format: "text" },
            }),
          ),
        ),
      consult: (question, answering) => life.during(ModelCalls.consult(context, question, answering)),
      decided: ({ agent, choice, basedOn, rationale }) =>
        life.whileOpen(
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

/** Appends to a task's stream on the timeline that a log stands for: the one recorder for all that is appended there. */
export const recorderOf = (log: KernelContext["log"], id: string): Recorder.Recorder =>
  Recorder.make(log, { stream: `task/${id}`, taskId: id, actor: "kernel" })

/** Each sensor's readings one after the other. */
const oneAtATime = (): OpenTask["oneAtATime"] => {
  const turns = new Map<string, Effect.Semaphore>()
  return (sensor, reading) => {
    const turn = turns.get(sensor) ?? Effect.unsafeMakeSemaphore(1)
    turns.set(sensor, turn)
    return turn.withPermits(1)(reading)
  }
}

/** How a task ends whose setting up, or whose agent, did not come to its end. */
export const endOf = (cause: Cause.Cause<unknown>): readonly [TaskOutcome, string] => {
  if (Cause.isInterruptedOnly(cause)) return ["abandoned", "it was interrupted"]
  const problem = Cause.squash(cause)
  return ["failed", problem instanceof Error ? problem.message : String(problem)]
}
