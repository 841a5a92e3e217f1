/** Starts a task of the log, or of a fork's draft, and serves it until it is closed or suspended. */

import { Cause, Effect, ExecutionStrategy, Exit, Runtime, Scope } from "effect"
import * as Recordable from "../../events/append/Recordable.ts"
import type { AppendError, CoreNewEvent } from "../../events/log/EventLog.ts"
import * as Recorder from "../../events/log/Recorder.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskBudget, TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { closeScope } from "../../platform/closeScope.ts"
import * as OneAtATime from "../../platform/OneAtATime.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as WallClockWatch from "../../platform/WallClockWatch.ts"
import { defined } from "../../values/defined.ts"
import { type Json, plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as CommandExecution from "../acting/CommandExecution.ts"
import * as LeftCommands from "../acting/LeftCommands.ts"
import * as RecentResults from "../acting/policies/RecentResults.ts"
import { together } from "../acting/round/Round.ts"
import * as TaskLifecycle from "../context/TaskLifecycle.ts"
import * as TasksBelow from "../context/TasksBelow.ts"
import * as InstanceName from "../instances/InstanceName.ts"
import * as Scoring from "../scoring/Scoring.ts"
import * as IntervalReadings from "../sensing/IntervalReadings.ts"
import { perceive } from "../sensing/Perception.ts"
import { perceiveAhead } from "../sensing/PerceptionAhead.ts"
import * as Capabilities from "./Capabilities.ts"
import type * as Environments from "./Environments.ts"
import * as Inputs from "./Inputs.ts"
import * as ModelCalls from "./ModelCalls.ts"
import { ActOptions, SayOptions } from "./OpenOptions.ts"
import type { KernelContext, OpenTask } from "./OpenTask.ts"
import * as PinnedVersions from "./PinnedVersions.ts"
import * as Generation from "./providers/Generation.ts"
import * as Returns from "./Returns.ts"
import * as Stops from "./Stops.ts"
import type { Decision, Task } from "./Task.ts"
import * as WorldMembers from "./WorldMembers.ts"
import * as WorldTicks from "./WorldTicks.ts"

/** A recorded task, with everything that runs it. */
export interface Opening extends Environments.Participants {
  readonly id: string
  readonly seed: number
  readonly goal: string
  readonly budget?: TaskBudget | undefined
  /** The budget that the agent keeps to by itself. Default: none. */
  readonly agentBudget?: TaskBudget | undefined
  /** The names of the agents at the start, if there are several. */
  readonly agents?: ReadonlyArray<string> | undefined
  readonly record: TaskRecord
  /** The cause of the task's events. */
  readonly openedBy: string
  /** The task's id, or in a fork `id@timeline`. */
  readonly instanceName: string
  /** The events of a continued task up to where it continues. Default: it is new. */
  readonly past?: ReadonlyArray<Event>
  /** Plugins whose worlds a fork overrides. Default: none. */
  readonly overridden?: ReadonlyArray<string>
  /** The later events that a fork leaves behind. */
  readonly abandoned?: ReadonlyArray<Event>
  /** Number of earlier perceptions. */
  readonly perceptions: number
  /** Read sensors with an interval. Default: true. */
  readonly intervals?: boolean
  /** Otherwise its end is neither recorded nor scored. Default: true. */
  readonly isRecorded?: () => boolean
  /** Leaves the task open in the log. Without it, suspending the task abandons it. */
  readonly suspend?: Effect.Effect<void>
  /** Commands without an outcome at the resume or fork. Default: none. */
  readonly left?: LeftCommands.Left
  /** The position of the opening of a task that has just begun. Default: earlier events may concern it. */
  readonly openedAt?: number
  /** Earlier working time of an agent, in milliseconds. Default: 0. */
  readonly worked?: Task["worked"]
  readonly lost?: Task["lost"]
  /** `close` closes the task as failed. Default: `close`. */
  readonly afterFailedSetUp?: "close" | "suspend"
}

/** The recorder of a task's stream, and the lifecycle that learns of others' appends. */
export interface TaskRecord {
  /** The only recorder of the task's stream. */
  readonly recorder: Recorder.Recorder
  readonly lifecycle: TaskLifecycle.TaskLifecycle
}

/** Makes a task's record on the log's own timeline. All appends to the task's stream go through its recorder. */
export const recordOf = (log: KernelContext["log"], id: string): Effect.Effect<TaskRecord> =>
  Effect.suspend(() => {
    let recorder: Recorder.Recorder | undefined
    // Whoever paused the task may want to see what led to it. If the log cannot be written, they stay held.
    const recordHeld = Effect.suspend(() => Effect.ignore(recorder?.recordHeld ?? Effect.void))
    return Effect.map(TaskLifecycle.make(id, recordHeld), (lifecycle) => {
      recorder = Recorder.make(
        log,
        { stream: `task/${id}`, taskId: id, actor: "kernel" },
        lifecycle.noticed,
        WallClockWatch.make(),
      )
      return { lifecycle, recorder }
    })
  })

/** A recording has the outcomes of later commands, also of those that got an earlier result. */
const recentResultsOf = (kernel: KernelContext, { past, registry, overridden = [] }: Opening) => {
  if (kernel.answersRecorded === true) return RecentResults.none
  return RecentResults.make(past === undefined ? undefined : { events: past, registry, overridden })
}

/**
 * Starts a recorded task, or one in a draft of a fork. Call it uninterruptibly, except for interruptible parts of the
 * set-up. If the set-up fails, closes or suspends the task, as the opening says.
 *
 * @param setUp sets up the environments; closing the task interrupts effects that it runs `untilClosed`
 */
export const begin = <E>(
  kernel: KernelContext,
  opening: Opening,
  setUp: (task: OpenTask, untilClosed: TaskLifecycle.TaskLifecycle["runUntilClosed"]) => Effect.Effect<void, E>,
): Effect.Effect<Task, E | AppendError> =>
  Effect.gen(function* () {
    const { id, seed, goal, openedBy, instanceName, perceptions, intervals = true, isRecorded = () => true } = opening
    const { rubric, takesPart, registry, record, suspend: suspendLog } = opening
    const { recorder, lifecycle } = record
    const left = LeftCommands.make(opening.left ?? { commands: [], by: "resume" })
    const scope = yield* Scope.fork(kernel.scope, ExecutionStrategy.sequential)
    const files = yield* Scope.extend(
      kernel.files?.of({ openedBy, past: opening.past, abandoned: opening.abandoned, recorder }) ??
        Effect.succeed(undefined),
      scope,
    ).pipe(Effect.onError(() => closeScope(scope, Exit.void)))
    let perceived = perceptions
    const recordSoon: OpenTask["recordSoon"] = (event, by = recorder) =>
      Effect.suspend(() =>
        lifecycle.isHalted() || !Recordable.isCertain(event)
          ? Effect.map(by.record(event), ({ id }) => id)
          : Effect.succeed(by.hold(event)),
      )
    const context: OpenTask = {
      ...recorder,
      recordSoon,
      continued: lifecycle.continued,
      isPaused: lifecycle.isPaused,
      noticed: lifecycle.noticed,
      kernel: PinnedVersions.pin(kernel, registry),
      id,
      instanceName,
      seed,
      agents: opening.agents,
      openedBy,
      scope,
      takesPart,
      instance: (plugin, registry) => kernel.instances.get(plugin, registry, { id, instanceName, seed, scope }),
      running: (plugin, found) => kernel.instances.running(plugin, found, { id, instanceName, seed, scope }),
      oneAtATime: oneAtATime(),
      nextPerception: () => ++perceived,
      inOrder: OneAtATime.make(),
      documents: new Map<string, Json>(),
      unrewound: new Set<string>(),
      recentResults: recentResultsOf(kernel, opening),
      files,
    }
    const look = files?.look ?? Effect.void

    const score = (closedBy: string) =>
      Scoring.scoreClosed(kernel.log, id, rubric, closedBy, kernel.critics(context.kernel.registry))
    const inputs = Inputs.make({ id, log: kernel.log, arrivals: kernel.inputs, recorder, after: opening.openedAt })
    const interruption = Stops.interruptionBy(inputs)
    const stopOf = (options: Stops.StopOptions) => Stops.stopOf(options, interruption)

    const capabilitiesIn = Capabilities.remembering(takesPart)

    const close = (outcome: TaskOutcome, reason?: string) =>
      lifecycle.close(
        Effect.gen(function* () {
          if (!isRecorded()) return undefined
          yield* kernel.lease.held
          yield* left.endAll(context)
          yield* look
          return yield* recorder.record(
            {
              type: "TaskClosed",
              causationId: openedBy,
              payload: { outcome, ...(reason === undefined ? {} : { reason: plainText(reason) }) },
            },
            ...(yield* Returns.finished(kernel.log, id, opening.openedAt)),
          )
          // The kernel that took over has recorded the task's end: stop the processes here.
        }).pipe(Effect.tapErrorTag("LeaseLost", () => closeScope(scope, Exit.void))),
        (closed) =>
          Effect.zipRight(
            closeScope(scope, Exit.void),
            closed === undefined
              ? Effect.void
              : Effect.zipRight(kernel.endChildren(InstanceName.servedBy(instanceName)), score(closed.id)),
          ),
      )

    // When the kernel ends with the task open.
    const abandon = close("abandoned", "the kernel ended").pipe(
      // After a lost lease, the kernel that took over has recorded the task's end.
      Effect.catchTags({ TaskClosed: () => Effect.void, LeaseLost: () => Effect.void }),
      Effect.catchAllCause((cause) => ProgramLog.error(`task ${id} could not be closed`, cause)),
    )
    const suspend = suspendLog === undefined ? abandon : lifecycle.suspend(suspendLog, closeScope(scope, Exit.void))
    yield* Scope.addFinalizer(scope, kernel.keepsOpenTasks ? suspend : abandon)
    yield* Effect.flatMap(Effect.runtime(), (runtime) =>
      Effect.sync(() => {
        lifecycle.whenCancelled(({ by, reason }) => {
          const cancel = close("abandoned", TaskLifecycle.cancelledReason(by, reason)).pipe(
            Effect.zipRight(lifecycle.stop),
            Effect.catchTags({ TaskClosed: () => Effect.void, LeaseLost: () => Effect.void }),
            Effect.catchAllCause((cause) =>
              ProgramLog.error(`task ${id} was cancelled, but could not be closed`, cause),
            ),
          )
          Runtime.runFork(runtime)(Effect.forkIn(cancel, kernel.scope))
        })
      }),
    )
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => kernel.running.remove(instanceName)),
    )
    yield* kernel.running.add(instanceName, { ...lifecycle, suspend, budget: opening.agentBudget })
    yield* Scope.extend(kernel.pushed.listen({ instanceName, recorder, openedBy, takesPart, ...lifecycle }), scope)
    yield* Effect.zipRight(setUp(context, lifecycle.runUntilClosed), look).pipe(
      Effect.onExit(
        Exit.match({
          onSuccess: () => Effect.void,
          onFailure: (cause) =>
            opening.afterFailedSetUp === "suspend" ? suspend : Effect.ignore(close(...endOf(cause))),
        }),
      ),
    )

    // Closing the task interrupts it, like all work in progress, before the end is recorded.
    if (intervals)
      yield* Effect.forkIn(Effect.interruptible(lifecycle.runUntilClosed(IntervalReadings.run(context), false)), scope)

    const readBelow = (options?: TasksBelow.BelowOptions) => kernel.below(InstanceName.servedBy(instanceName), options)
    const below = TasksBelow.make(readBelow, context.record, openedBy, opening.past)

    const recordLate = (agentId: string, waitedMs: number) =>
      lifecycle.ifOpen(
        Effect.asVoid(context.record({ type: "AgentLate", causationId: openedBy, payload: { agentId, waitedMs } })),
      )

    const messaging = <A>(
      content: string,
      options: SayOptions = {},
      record: (event: CoreNewEvent) => Effect.Effect<A, AppendError>,
    ) =>
      Effect.flatMap(Options.decode("say", SayOptions, options), ({ causationId = openedBy, ...between }) =>
        lifecycle.ifOpen(
          record({
            type: "MessageSent",
            causationId,
            payload: { content: plainText(content), format: "text", ...between },
          }),
        ),
      )

    return {
      id,
      goal,
      seed,
      budget: opening.budget,
      worked: opening.worked ?? (() => 0),
      lost: opening.lost ?? (() => []),
      capabilities: () => Effect.map(context.kernel.registry.state, capabilitiesIn),
      document: (plugin) => Effect.sync(() => context.documents.get(plugin)),
      perceive: (options) => lifecycle.runUntilClosed(perceive(context, options)),
      perceiveAhead: (agentIds, mayBeLate) =>
        mayBeLate ? Effect.succeed(new Map()) : lifecycle.runUntilClosed(perceiveAhead(context, agentIds)),
      act: (actuator, args = {}, options = {}) =>
        Effect.flatMap(
          Options.decode("act", ActOptions, options),
          ({ causationId = openedBy, withinMs, interruptible, ...identity }) =>
            lifecycle.runUntilClosed(
              Effect.suspend(() => {
                const begun = left.take({ actuator, args, ...identity })
                return begun === undefined
                  ? CommandExecution.act(
                      context,
                      actuator,
                      args,
                      causationId,
                      identity,
                      stopOf({ withinMs, interruptible }),
                    )
                  : CommandExecution.resume(context, begun, stopOf({ withinMs, interruptible }))
              }),
            ),
        ),
      below: (options) => lifecycle.runUntilClosed(below(options), false),
      say: (content, options) => messaging(content, options, context.record),
      saying: (content, options) => Effect.asVoid(messaging(content, options, recordSoon)),
      consult: (question, answering, options) =>
        Effect.map(
          lifecycle.runUntilClosed(ModelCalls.ask(context, question, answering, options)),
          ({ response }) => response,
        ),
      ask: (question, answering, options) =>
        lifecycle.runUntilClosed(ModelCalls.ask(context, question, answering, options, interruption)),
      generate: (request, options) => Generation.generate(context, request, options),
      inputs: (options = {}) =>
        Effect.flatMap(
          Options.decode("inputs", Inputs.InputOptions, options),
          (decoded) =>
            // Hot path: every turn looks for inputs, and almost always none waits.
            (lifecycle.isHalted() ? undefined : inputs.none(decoded)) ??
            lifecycle.runUntilClosed(inputs.take(decoded), false),
        ),
      together: (commands) =>
        lifecycle.runUntilClosed(
          together(context, left, commands, ({ withinMs }) => stopOf({ withinMs, interruptible: false })),
        ),
      late: (agentId, afterMs, closing) =>
        Number.isFinite(afterMs)
          ? Effect.zipRight(
              lifecycle.runUntilClosed(Effect.sleep(afterMs), false),
              Effect.suspend(() => (closing() ? Effect.uninterruptible(recordLate(agentId, afterMs)) : Effect.never)),
            )
          : Effect.never,
      inTime: () => Effect.void,
      record: (agent, event) =>
        lifecycle.ifOpen(Effect.asVoid(recorder.as(`agent:${agent}`).record({ ...event, causationId: openedBy }))),
      tick: (world, milliseconds) => lifecycle.runUntilClosed(WorldTicks.tick(context, world, milliseconds)),
      member: (event) =>
        lifecycle.runUntilClosed(WorldMembers.change(context, recorder.as(`agent:${event.payload.agentId}`), event)),
      events: (after) => eventsAfter(kernel.log, id, after),
      conduct: (event, ...consequences) =>
        lifecycle.ifOpen(
          Effect.asVoid(recorder.as("scenario").record({ ...event, causationId: openedBy }, ...consequences)),
        ),
      searched: (event) =>
        lifecycle.ifOpen(Effect.map(recorder.as("search").record({ causationId: openedBy, ...event }), ({ id }) => id)),
      decided: (decision) =>
        lifecycle.ifOpen(
          Effect.suspend(() => recorder.as(`agent:${decision.agent}`).record(decisionMade(decision, openedBy))),
        ),
      deciding: (decision) =>
        lifecycle.ifOpen(
          Effect.suspend(() => {
            const event = decisionMade(decision, openedBy)
            return Effect.map(recordSoon(event, recorder.as(`agent:${decision.agent}`)), (id) => ({
              id,
              choice: decision.choice,
            }))
          }),
        ),
      close,
    }
  })

const decisionMade = (
  { agent, choice, basedOn, rationale, reasoning, agentId }: Decision,
  openedBy: string,
): CoreNewEvent => ({
  type: "DecisionMade",
  causationId: basedOn.at(-1)?.id ?? openedBy,
  payload: {
    agent,
    choice,
    basedOn: basedOn.map(({ position }) => position),
    ...defined({ rationale, reasoning, agentId }),
  },
})

const eventsAfter = (log: KernelContext["log"], taskId: string, after: number) =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId, after }, (page) => {
      for (const event of page) events.push(event)
    })
    return events
  })

const oneAtATime = (): OpenTask["oneAtATime"] => {
  const turns = new Map<string, OneAtATime.OneAtATime>()
  return (sensor, reading) => {
    const turn = turns.get(sensor) ?? OneAtATime.make()
    turns.set(sensor, turn)
    return turn(reading)
  }
}

/** The outcome and reason of a task whose set-up or agent failed or was interrupted. */
export const endOf = (cause: Cause.Cause<unknown>): readonly [TaskOutcome, string] => {
  if (Cause.isInterruptedOnly(cause)) return ["abandoned", "it was interrupted"]
  const problem = Cause.squash(cause)
  return ["failed", problem instanceof Error ? problem.message : String(problem)]
}
