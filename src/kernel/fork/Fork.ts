/** Forks a recorded task: an agent continues it from a past position, on a new timeline. */

import { Effect } from "effect"
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
import { loop, MAX_STEPS } from "../agents/AgentLoop.ts"
import type { NotReplayable } from "../context/NotReplayable.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import * as Confirmations from "../gate/Confirmations.ts"
import * as InstanceName from "../instances/InstanceName.ts"
import * as AnswerDeadline from "../replay/AnswerDeadline.ts"
import * as LostCalls from "../replay/calls/LostCalls.ts"
import * as DecisionPoint from "../replay/DecisionPoint.ts"
import { Stopped } from "../replay/Divergence.ts"
import { participantsOf } from "../replay/Participants.ts"
import { notePast } from "../replay/PastNote.ts"
import * as RecordedTask from "../replay/RecordedTask.ts"
import * as Recording from "../replay/Recording.ts"
import { type Parted, replayDecisions } from "../replay/ReplayedDecisions.ts"
import * as ReplayedPlugins from "../replay/ReplayedPlugins.ts"
import { replayThenLive, roundInPart, withTimeToRepeat } from "../replay/ReplayThenLive.ts"
import type { PerceiveError } from "../sensing/Perception.ts"
import type { KernelContext, OpenTask } from "../tasks/OpenTask.ts"
import * as TaskStart from "../tasks/TaskStart.ts"
import * as FilesRestoration from "./FilesRestoration.ts"
import { close } from "./ForkEnd.ts"
import { AgentDiverged, TaskNotNamed, withConsequence } from "./ForkErrors.ts"
import * as ForkEvents from "./ForkEvents.ts"
import * as ForkedTree from "./ForkedTree.ts"
import { ForkOptions } from "./ForkOptions.ts"
import * as OverriddenReadings from "./OverriddenReadings.ts"
import * as Overrides from "./Overrides.ts"
import type * as TimelineName from "./TimelineName.ts"
import * as WorldRestoration from "./WorldRestoration.ts"

export { NotForkable } from "../replay/DecisionPoint.ts"
export { AgentDiverged, TaskNotNamed } from "./ForkErrors.ts"
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
  /**
   * The first decision of the shared past that the agent would have made otherwise; null if none. The past stays as
   * recorded.
   */
  readonly parted: Parted | null
  /** What becomes of the tasks above and below. */
  readonly tree: ForkedTree.ForkedTree
  readonly audit: TaskAudit.TaskAudit
}

/** Reasons why a fork was refused. Unless its task had begun, nothing was recorded and the name is free. */
export type ForkError =
  | Options.InvalidOptions
  | Moment.LocateError
  | TaskNotNamed
  | TaskAudit.TaskNotFound
  | NotReplayable
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
 * parent without copying them. A pending command continues when the agent requests it again, under a new ruling of the
 * gate. Waiting confirmations are withdrawn, so no approval carries over. The task keeps its id, and is closed and
 * scored on the fork's timeline. The parent does not change.
 *
 * The fork is recorded once its environments are restored and the agent, led over the past, asks for something new. If
 * it fails before, nothing of it is in the log, and its name is free. Three things commit it earlier: restored files
 * (`restoreFiles`), a question to a person about a plugin's request during the set-up, and a set-up that fills the
 * memory (see `DraftTimelines`). A later failure then closes it.
 */
export const fork = (
  kernel: KernelContext,
  inputAgent: Agent.Agent,
  input: ForkOptions,
): Effect.Effect<Forked, ForkError, Projector> =>
  Effect.gen(function* () {
    const agent = yield* Options.decode("fork", Agent.Agent, inputAgent, ["agent"])
    const options = yield* Options.decode("fork", ForkOptions, input)
    yield* kernel.lease.held
    const { parent, point, overrides } = yield* prepare(kernel.log, agent, options)
    const io = options.io ?? "live"
    const fresh = startsFresh(point.recording, agent, options)
    const forkPayload = { ...overrides, agent: Agent.fullName(agent), io, ...(fresh ? { fresh } : {}) }
    return yield* Effect.acquireUseRelease(
      ForkEvents.begin(kernel.drafts, parent, point, {
        chosenName: options.timeline,
        by: options.by,
        overrides: forkPayload,
      }),
      (begun) => goOn(kernel, { agent, options, point, overrides, io, fresh, begun, parent }),
      ({ draft }) => draft.discard,
    )
  })

/**
 * Fails if the log or the options rule a fork out. Needs no kernel and records nothing, so that a command can refuse
 * first.
 */
export const check = (log: EventLog.Service, agent: Agent.Agent, options: ForkOptions) =>
  Effect.asVoid(prepare(log, agent, options))

interface Forking {
  readonly agent: Agent.Agent
  readonly options: ForkOptions
  readonly point: DecisionPoint.Point
  readonly overrides: Overrides.Overrides
  readonly io: "live" | "recorded"
  readonly fresh: boolean
  readonly begun: ForkEvents.Begun
  readonly parent: EventLog.Service
}

/** Sets a fork up, lets its agent work, and closes it. Only the set-up and the work are interruptible. */
const goOn = (kernel: KernelContext, { agent, options, point, overrides, io, fresh, begun, parent }: Forking) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { view, forkedBy, draft } = begun
      const { recording, at } = point
      const { taskId } = recording
      const left = fresh ? [] : point.left
      const record = yield* TaskStart.recordOf(view, taskId)
      const { recorder } = record
      yield* ForkEvents.withdrawQuestions(view, point, forkedBy)
      if (fresh) yield* ForkEvents.denyPending(recorder, point, forkedBy)

      const documents = documentsAt(point)
      const recorded = io === "recorded" ? ReplayedPlugins.make(point, documents) : undefined
      const overridden = OverriddenReadings.make(overrides.readings ?? {})
      const instanceName = InstanceName.nameOf({ taskId, timeline: view.timeline })
      const before = recording.events.filter(({ position }) => position <= at)
      const task = yield* TaskStart.begin(
        contextOf(kernel, view, point, recorded, overridden),
        {
          ...participantsOf(recording),
          record,
          id: taskId,
          seed: recording.opened.payload.seed ?? 0,
          goal: recording.opened.payload.goal,
          budget: recording.instructions.budget,
          openedBy: forkedBy,
          instanceName,
          left: { commands: left, by: "fork" },
          agents: recording.opened.payload.agents,
          perceptions: point.perceptions,
          past: before,
          lost: LostCalls.until(before, "fork"),
          overridden: Object.keys(overrides.world ?? {}),
          abandoned: recording.events.filter(({ position }) => position > at),
          intervals: recorded === undefined,
          isRecorded: draft.isCommitted,
        },
        (context, untilClosed) =>
          restore(
            untilClosed(
              Effect.zipLeft(
                recorded === undefined
                  ? restoreAll(context, point, begun, { ...options, world: overrides.world ?? {} })
                  : ReplayedPlugins.setUp(context, point, documents),
                overridden.begin,
              ),
            ),
          ),
      ).pipe(Effect.mapError(withConsequence(() => ForkEvents.consequence(begun))))

      const past = pastOf(point, agent, options)
      const recordedTask = RecordedTask.make(
        { ...recording, requests: past },
        { byPlaceUntil: at, until: fresh ? 0 : at },
      )
      const instructions = {
        ...recording.instructions,
        goal: overrides.goal ?? recording.instructions.goal,
        seed: overrides.seed ?? recording.instructions.seed,
      }
      const isOver = () => recorded?.firstUnrecorded() !== undefined
      let refusal: Effect.Effect.Error<ReturnType<typeof ForkEvents.commit>> | TaskClosed | undefined
      const commit = Effect.suspend(() =>
        begun.draft.isCommitted() ? Effect.void : record.lifecycle.ifOpen(ForkEvents.commit(begun)),
      )
      /** Records the fork, once, unless it has ended. Stops an agent whose fork cannot be recorded. */
      const live = Effect.suspend(() => (refusal === undefined ? commit : Effect.fail(refusal))).pipe(
        Effect.catchAll((error) => {
          refusal = error
          return Effect.die(new Stopped())
        }),
      )
      const { recorded: timed, silent } = yield* AnswerDeadline.withDeadline(recordedTask, options.ledWithinMs, {
        decides: Agent.decides(agent),
        isLive: () => recordedTask.isUsedUp(),
      })
      const led = replayThenLive(
        timed,
        withTimeToRepeat(recorded?.withoutWorld(task) ?? task, left, recording.capabilitiesAt(at)),
        instructions,
        isOver,
        DecisionPoint.guideAt(point),
        live,
      )
      const maxSteps = (fresh ? 0 : DecisionPoint.decisions(point)) + (options.maxSteps ?? MAX_STEPS)
      const limited = Agent.withRecordedLimits(agent, recording.opened.payload.limits)
      const deciding = replayDecisions(limited, past)
      const together = roundInPart(led.together, led.together, recordedTask, left)
      const working = Effect.raceFirst(loop(deciding.agent, { ...led, together }, { ...options, maxSteps }), silent)
      const worked = yield* Effect.exit(restore(Effect.raceFirst(working, kernel.running.stopped(instanceName))))
      const divergence = recordedTask.divergence() ?? RecordedTask.doneEarly(recordedTask, worked)
      if (divergence === undefined && recordedTask.isUsedUp()) yield* Effect.exit(live)
      const note = notePast(recorder, { about: "fork", causationId: forkedBy }, recordedTask, deciding.parted())
      const noted = yield* Effect.exit(note)
      yield* close(task, worked, divergence, recorded?.firstUnrecorded())
      if (divergence !== undefined) {
        const consequence = ForkEvents.consequence(begun)
        return yield* new AgentDiverged({ agent: Agent.fullName(agent), divergence, consequence })
      }
      if (refusal !== undefined) return yield* Effect.fail(refusal)
      if (!isOver()) yield* worked
      yield* noted
      return {
        timeline: view.timeline,
        parent: parent.timeline,
        at,
        taskId,
        io,
        worlds: yield* worldsOf(view, taskId),
        parted: deciding.parted(),
        tree: yield* ForkedTree.at(kernel.log, parent, point),
        audit: yield* Effect.provideService(TaskAudit.load(taskId), EventLog, view),
      }
    }),
  )

/** Restores files last, once nothing else can refuse the fork and the log already contains it. */
const restoreAll = (
  context: OpenTask,
  point: DecisionPoint.Point,
  begun: ForkEvents.Begun,
  options: WorldRestoration.RestoreOptions,
) => {
  const worlds = WorldRestoration.restore(context, point, options)
  if (options.restoreFiles !== true) return worlds
  const files = FilesRestoration.restore(context, point.at, options)
  return worlds.pipe(Effect.zipRight(ForkEvents.commit(begun)), Effect.zipRight(files))
}

const prepare = (log: EventLog.Service, agent: Agent.Agent, options: ForkOptions) =>
  Effect.gen(function* () {
    const { overrides = {}, io = "live" } = options
    const { timeline, position } = yield* Effect.provideService(Moment.locate(options.at), EventLog, log)
    const parent = Timelines.view(log, yield* Timelines.named(log, timeline))
    const recording = yield* Recording.load(parent, options.task ?? (yield* taskAt(parent, position)))
    const found = yield* DecisionPoint.find(recording, position)
    const fresh = startsFresh(recording, agent, options)
    if (!fresh) yield* DecisionPoint.playable(recording, position, agent)
    const { sensors } = recording.capabilitiesAt(position)
    yield* Overrides.check(overrides, {
      sensors: sensors.map(({ name }) => name),
      plugins: recording.plugins,
      live: io === "live",
    })
    yield* Overrides.checkReadings(
      overrides.readings ?? {},
      (sensor) => sensors.find(({ name }) => name === sensor)?.reading,
    )
    const changesWorld = overrides.readings !== undefined || overrides.world !== undefined
    const point = changesWorld || fresh ? DecisionPoint.beforePerceiving(found) : found
    return { parent, point: fresh ? point : yield* DecisionPoint.reachable(point), overrides }
  })

const taskAt = (log: EventLog.Service, at: number) =>
  Effect.gen(function* () {
    return (yield* Moment.taskAt(log, at)) ?? (yield* new TaskNotNamed({ at }))
  })

const contextOf = (
  kernel: KernelContext,
  view: EventLog.Service,
  { recording, at }: DecisionPoint.Point,
  recorded: ReplayedPlugins.ReplayedPlugins | undefined,
  overridden: OverriddenReadings.OverriddenReadings,
): KernelContext => ({
  ...kernel,
  log: view,
  confirmations: Confirmations.asking(view),
  instances: overridden.of(recorded?.instances ?? kernel.instances),
  ...(recorded === undefined
    ? {}
    : {
        // Nothing is executed, so nothing changes files.
        files: undefined,
        answersRecorded: true,
        registry: { ...kernel.registry, state: Effect.succeed(recording.registryAt(at)) },
        // Readings that plugins push now are for live tasks.
        pushed: { ...kernel.pushed, listen: () => Effect.void },
      }),
})

/**
 * Whether the agent starts at the fork point, without a past, as a deciding agent does in a task without recorded
 * decisions.
 */
const startsFresh = ({ requests }: Recording.Recording, agent: Agent.Agent, { fresh = false }: ForkOptions): boolean =>
  fresh || ("decide" in agent && !requests.some(({ kind }) => kind === "decide"))

const pastOf = ({ recording, past }: DecisionPoint.Point, agent: Agent.Agent, options: ForkOptions) => {
  if (startsFresh(recording, agent, options)) return []
  return Agent.decides(agent) ? past : past.filter(({ kind }) => kind !== "decide")
}

const documentsAt = ({ recording, at }: DecisionPoint.Point): ReadonlyMap<string, Json> => {
  const events = recording.events.filter(({ position }) => position <= at)
  const { environment } = EnvironmentState.taskScope(fold(EnvironmentState.projection, events), recording.taskId)
  return new Map(Object.entries(environment))
}

const worldsOf = (view: EventLog.Service, taskId: string) =>
  Effect.map(
    view.readPage(
      { timeline: view.timeline, taskId, types: ["EnvironmentRestored"], after: view.spans.at(-2)?.until ?? 0 },
      1000,
    ),
    (events) => events.flatMap((event) => (is(event, "EnvironmentRestored") ? [event.payload] : [])),
  )
