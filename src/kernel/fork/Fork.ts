/** Forks a recorded task: an agent continues it from a past position, on a new timeline. */

import { type Cause, type Context, Data, Effect, Exit } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import { fold } from "../../projections/fold/Projection.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { ActError } from "../acting/CommandExecution.ts"
import * as Agent from "../agents/Agent.ts"
import { loop, MAX_STEPS, type RunResult } from "../agents/AgentLoop.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import * as Confirmations from "../gate/Confirmations.ts"
import * as InstanceName from "../instances/InstanceName.ts"
import { manifestOf } from "../registry/Registry.ts"
import * as DecisionPoint from "../replay/DecisionPoint.ts"
import { choiceOf, type Divergence } from "../replay/Divergence.ts"
import * as RecordedTask from "../replay/RecordedTask.ts"
import * as Recording from "../replay/Recording.ts"
import * as ReplayedPlugins from "../replay/ReplayedPlugins.ts"
import { replayDecisions, replayThenLive } from "../replay/ReplayThenLive.ts"
import { measureName, ofManifests, type Rubric } from "../rules/Rubric.ts"
import type { PerceiveError } from "../sensing/Perception.ts"
import type { KernelContext } from "../tasks/OpenTask.ts"
import * as Task from "../tasks/Task.ts"
import * as ForkEvents from "./ForkEvents.ts"
import { ForkOptions } from "./ForkOptions.ts"
import * as OverriddenReadings from "./OverriddenReadings.ts"
import * as Overrides from "./Overrides.ts"
import type * as TimelineName from "./TimelineName.ts"
import * as WorldRestoration from "./WorldRestoration.ts"

export { NotForkable } from "../replay/DecisionPoint.ts"
export { ForkOptions } from "./ForkOptions.ts"
export { OverrideInvalid, Overrides } from "./Overrides.ts"
export { WorldDiffers } from "./RestorationCheck.ts"
export { TimelineNameInvalid } from "./TimelineName.ts"
export { WorldNotRewound } from "./WorldRestoration.ts"

/** The result of a fork. */
export interface Forked {
  readonly timeline: string
  readonly parent: string
  /** The last position that the fork shares with its parent. */
  readonly at: number
  readonly taskId: string
  readonly io: "live" | "recorded"
  /** How each plugin's environment was restored, or that it was not. */
  readonly worlds: ReadonlyArray<PayloadOf<"EnvironmentRestored">>
  readonly audit: TaskAudit.TaskAudit
}

/** Name the task: the event at that position belongs to none. */
export class TaskNotNamed extends Data.TaggedError("TaskNotNamed")<{ readonly at: number }> {
  override get message() {
    return `@${this.at} belongs to no task: expected one that is named, found none. Name it (\`task\`, \`--task\`), or fork at one of its events.`
  }
}

/** Fork with an agent that repeats the recorded decisions up to that position, or start it fresh. */
export class AgentDiverged extends Data.TaggedError("AgentDiverged")<{
  readonly agent: string
  readonly timeline: string
  readonly divergence: Divergence
}> {
  override get message() {
    const { kind, position, expected, found } = this.divergence
    return (
      `Agent ${this.agent} diverged from the recording @${position} (${kind}), before the moment of the fork: ` +
      `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}. Timeline ${this.timeline} was closed. Start the agent at the moment of the fork instead (\`fresh\`, \`--fresh\`).`
    )
  }
}

export type ForkError =
  | Options.InvalidOptions
  | Moment.LocateError
  | TaskNotNamed
  | TaskAudit.TaskNotFound
  | Recording.NotReplayable
  | DecisionPoint.NotForkable
  | TimelineName.TimelineNameInvalid
  | AgentDiverged
  | WorldRestoration.RestoreError
  | Agent.AgentFailed
  | TaskClosed
  | ActError
  | PerceiveError
  | LeaseLost
  | AppendError
  | LogError

/**
 * Continues a recorded task with an agent from a past position. The new timeline shares the earlier events with its
 * parent without copying them. Confirmations that waited at that position are withdrawn in the fork, so no approval
 * carries over. The task keeps its id, and is closed and scored on the fork's timeline. The parent does not change.
 */
export const fork = (
  kernel: KernelContext,
  inputAgent: Agent.Agent,
  input: ForkOptions,
): Effect.Effect<Forked, ForkError, Projector> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const agent = yield* Options.decode("fork", Agent.Agent, inputAgent, ["agent"])
      const options = yield* Options.decode("fork", ForkOptions, input)
      yield* kernel.lease.held
      const { parent, point, overrides } = yield* restore(prepare(kernel.log, agent, options))
      const { recording, at } = point
      const { taskId } = recording
      const io = options.io ?? "live"
      const fresh = startsFresh(recording, agent, options)
      const forkPayload = { ...overrides, agent: Agent.fullName(agent), io, ...(fresh ? { fresh } : {}) }
      const { view, forkedBy } = yield* ForkEvents.begin(kernel.log, parent, point, options.timeline, forkPayload)
      const recorder = Task.recorderOf(view, taskId)
      yield* ForkEvents.endWaiting(view, recorder, point, forkedBy)

      const documents = documentsAt(point)
      const recorded = io === "recorded" ? ReplayedPlugins.make(point, documents) : undefined
      const overridden = OverriddenReadings.make(overrides.readings ?? {})
      const task = yield* Task.begin(
        contextOf(kernel, view, point, recorded, overridden),
        {
          ...participantsOf(recording),
          recorder,
          ...{ id: taskId, seed: recording.opened.payload.seed ?? 0, goal: recording.opened.payload.goal },
          ...{ openedBy: forkedBy, instanceName: InstanceName.nameOf({ taskId, timeline: view.timeline }) },
          ...{ perceptions: point.perceptions, intervals: recorded === undefined },
        },
        restore,
        (context) =>
          Effect.zipLeft(
            recorded === undefined
              ? WorldRestoration.restore(context, point, { ...options, world: overrides.world ?? {} })
              : ReplayedPlugins.setUp(context, point, documents),
            overridden.begin,
          ),
      )

      const past = pastOf(point, agent, options)
      const recordedTask = RecordedTask.make({ ...recording, requests: past }, at)
      const instructions = {
        goal: overrides.goal ?? recording.instructions.goal,
        seed: overrides.seed ?? recording.instructions.seed,
      }
      const isOver = () => recorded?.firstUnrecorded() !== undefined
      const worked = yield* Effect.exit(
        restore(
          loop(
            replayDecisions(agent, past),
            replayThenLive(
              recordedTask,
              recorded?.withoutWorld(task) ?? task,
              instructions,
              isOver,
              DecisionPoint.guideAt(point),
            ),
            {
              ...options,
              // The steps over which the agent is led do not count.
              maxSteps: (fresh ? 0 : DecisionPoint.decisions(point)) + (options.maxSteps ?? MAX_STEPS),
            },
          ),
        ),
      )
      const divergence = recordedTask.divergence() ?? doneEarly(recordedTask, worked)
      yield* ForkEvents.noteOtherQuestions(recorder, forkedBy, recordedTask.askedOtherwise())
      yield* close(task, worked, divergence, recorded?.firstUnrecorded())
      if (divergence !== undefined) {
        return yield* new AgentDiverged({ agent: Agent.fullName(agent), timeline: view.timeline, divergence })
      }
      if (!isOver()) yield* worked
      return {
        ...{ timeline: view.timeline, parent: parent.timeline, at, taskId, io },
        worlds: yield* worldsOf(view, taskId),
        audit: yield* Effect.provideService(TaskAudit.load(taskId), EventLog, view),
      }
    }),
  )

type Log = Context.Tag.Service<EventLog>

/** Reads and validates everything before anything is recorded. */
const prepare = (log: Log, agent: Agent.Agent, options: ForkOptions) =>
  Effect.gen(function* () {
    const { overrides = {}, io = "live" } = options
    const { timeline, position } = yield* Effect.provideService(Moment.locate(options.at), EventLog, log)
    const parent = Timelines.view(log, yield* Timelines.named(log, timeline))
    const recording = yield* Recording.load(parent, options.task ?? (yield* taskAt(parent, position)))
    const found = yield* DecisionPoint.find(recording, position)
    const sensors = recording.capabilitiesAt(position).sensors.map(({ name }) => name)
    yield* Overrides.check(overrides, { sensors, plugins: recording.plugins, live: io === "live" })
    const changesWorld = overrides.readings !== undefined || overrides.world !== undefined
    const fresh = startsFresh(recording, agent, options)
    const point = changesWorld || fresh ? DecisionPoint.beforePerceiving(found) : found
    return { parent, point: fresh ? point : yield* DecisionPoint.reachable(point), overrides }
  })

const taskAt = (log: Log, at: number) =>
  Effect.gen(function* () {
    const [event] = yield* log.readPage({ timeline: log.timeline, after: at - 1, until: at }, 1)
    return event?.taskId ?? (yield* new TaskNotNamed({ at }))
  })

/** The kernel's context for the fork: it records and asks for confirmation on the fork's timeline. */
const contextOf = (
  kernel: KernelContext,
  view: Log,
  { recording, at }: DecisionPoint.Point,
  recorded: ReplayedPlugins.ReplayedPlugins | undefined,
  overridden: OverriddenReadings.OverriddenReadings,
): KernelContext => ({
  ...kernel,
  log: view,
  confirmations: { ...kernel.confirmations, ask: (question) => Confirmations.ask(view, question) },
  instances: overridden.of(recorded?.instances ?? kernel.instances),
  ...(recorded === undefined
    ? {}
    : {
        registry: { ...kernel.registry, state: Effect.succeed(recording.registryAt(at)) },
        // Readings that plugins push now are for live tasks; the recorded task did not get them.
        pushed: { ...kernel.pushed, listen: () => Effect.void },
      }),
})

/** The plugins, their versions and the measures of the task, as when it was opened. */
const participantsOf = ({ opened, plugins, registryAt }: Recording.Recording) => {
  const registry = registryAt(opened.position)
  const all = ofManifests(Object.values(registry).map(manifestOf))
  const measures = all.measures.filter((measure) => opened.payload.measures.includes(measureName(measure)))
  const rubric: Rubric = { ...all, measures }
  return { plugins, registry, rubric, takesPart: (plugin: string) => plugins.includes(plugin) }
}

/**
 * Whether the agent starts at the point, without the past. So does a deciding agent in a task without recorded
 * decisions.
 */
const startsFresh = ({ requests }: Recording.Recording, agent: Agent.Agent, { fresh = false }: ForkOptions): boolean =>
  fresh || ("decide" in agent && !requests.some(({ kind }) => kind === "decide"))

/** The recorded requests that the agent is led through. */
const pastOf = ({ recording, past }: DecisionPoint.Point, agent: Agent.Agent, options: ForkOptions) => {
  if (startsFresh(recording, agent, options)) return []
  return "decide" in agent ? past : past.filter(({ kind }) => kind !== "decide")
}

const documentsAt = ({ recording, at }: DecisionPoint.Point): ReadonlyMap<string, Json> => {
  const events = recording.events.filter(({ position }) => position <= at)
  const { environment } = EnvironmentState.taskScope(fold(EnvironmentState.projection, events), recording.taskId)
  return new Map(Object.entries(environment))
}

/** The divergence of an agent that was done before it reached the point of the fork. */
const doneEarly = (
  recordedTask: RecordedTask.RecordedTask,
  worked: Exit.Exit<RunResult, unknown>,
): Divergence | undefined => {
  const next = recordedTask.next()
  if (next === undefined || Exit.isFailure(worked)) return undefined
  const found = { done: worked.value.outcome }
  return { kind: "done-earlier", position: RecordedTask.positionOf(next), path: "", expected: choiceOf(next), found }
}

/** Closes the fork's task with the outcome of the agent's work. */
const close = (
  task: Task.Task,
  worked: Exit.Exit<RunResult, unknown>,
  divergence: Divergence | undefined,
  missed: string | undefined,
) => {
  const [outcome, reason] =
    divergence !== undefined
      ? (["failed", `its agent did otherwise than was recorded, @${divergence.position}`] as const)
      : missed !== undefined
        ? (["truncated", ReplayedPlugins.unrecordedReason(missed)] as const)
        : Exit.match(worked, {
            onSuccess: ({ outcome, reason }) => [outcome, reason] as const,
            onFailure: (cause) => Task.endOf(cause as Cause.Cause<unknown>),
          })
  return Effect.catchTag(task.close(outcome, reason), "TaskClosed", () => Effect.void)
}

const worldsOf = (view: Log, taskId: string) =>
  Effect.map(
    view.readPage(
      { timeline: view.timeline, taskId, types: ["EnvironmentRestored"], after: view.spans.at(-2)?.until ?? 0 },
      1000,
    ),
    (events) => events.flatMap((event) => (is(event, "EnvironmentRestored") ? [event.payload] : [])),
  )
