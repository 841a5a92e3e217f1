/** Resumes an open task of an earlier kernel: its agent continues on the same timeline. */

import { Data, Effect, Exit } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { FILES } from "../../events/vocabulary/Sensing.ts"
import type * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ActError } from "../acting/CommandExecution.ts"
import { isInDoubt, isObserved, type LeftCommand, withOwnQuestions } from "../acting/LeftCommand.ts"
import * as Settling from "../acting/Settling.ts"
import * as Agent from "../agents/Agent.ts"
import { loop } from "../agents/AgentLoop.ts"
import { endAfter } from "../agents/runAgent.ts"
import type { NotReplayable } from "../context/NotReplayable.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import * as FilesRestoration from "../fork/FilesRestoration.ts"
import * as WorldRestoration from "../fork/WorldRestoration.ts"
import { onPluginFailure } from "../instances/PluginFailure.ts"
import { NotResumable } from "../recovery/NotResumable.ts"
import { isInProcess } from "../registry/InProcess.ts"
import * as AnswerDeadline from "../replay/AnswerDeadline.ts"
import * as LostCalls from "../replay/calls/LostCalls.ts"
import * as DecisionPoint from "../replay/DecisionPoint.ts"
import type { Divergence } from "../replay/Divergence.ts"
import { participantsOf } from "../replay/Participants.ts"
import { notePast } from "../replay/PastNote.ts"
import * as RecordedTask from "../replay/RecordedTask.ts"
import * as Recording from "../replay/Recording.ts"
import { replayDecisions } from "../replay/ReplayedDecisions.ts"
import { replayThenLive, withTimeToRepeat } from "../replay/ReplayThenLive.ts"
import type { PerceiveError } from "../sensing/Perception.ts"
import { noticing } from "../tasks/NoticedTask.ts"
import type { KernelContext, OpenTask } from "../tasks/OpenTask.ts"
import { suspendable } from "../tasks/TaskOpening.ts"
import * as TaskStart from "../tasks/TaskStart.ts"
import * as OpenRecording from "./OpenRecording.ts"
import { ResumeOptions } from "./ResumeOptions.ts"
import * as UnfinishedTurn from "./UnfinishedTurn.ts"
import * as WorkedTime from "./WorkedTime.ts"

export { NotResumable } from "../recovery/NotResumable.ts"
export { ResumeOptions } from "./ResumeOptions.ts"

/**
 * The agent decided differently from the recording. The task stays open: resume it with the original agent, or fork it.
 */
export class ResumeDiverged extends Data.TaggedError("ResumeDiverged")<{
  readonly taskId: string
  readonly agent: string
  readonly divergence: Divergence
}> {
  override get message() {
    const { kind, position, expected, found } = this.divergence
    return (
      `Agent ${this.agent} decided differently from the recording @${position} of task ${this.taskId} (${kind}): ` +
      `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}. The task stays open: resume it with its original agent, fork it, or cancel it.`
    )
  }
}

/** A plugin's environment could not return to the task's state. The task stays open. */
export class WorldNotRestored extends Data.TaggedError("WorldNotRestored")<{
  readonly taskId: string
  readonly plugin: string
  readonly reason: string
}> {
  override get message() {
    return (
      `The world of ${this.plugin} could not be restored for task ${this.taskId}: ${this.reason}. The task stays open. ` +
      "Continue with the world as it is (`acceptUnrewound`, `--accept-unrewound`), restore it another way (`rewind`, `--rewind`), or cancel the task."
    )
  }
}

/** Why a resume failed. The task stays open. */
export type ResumeError =
  | Options.InvalidOptions
  | TaskAudit.TaskNotFound
  | NotReplayable
  | NotResumable
  | WorldNotRestored
  | ResumeDiverged
  | Agent.AgentFailed
  | TaskClosed
  | ActError
  | PerceiveError
  | LeaseLost
  | AppendError
  | LogError

/**
 * Continues an open task. Its agent replays the recording and continues from there: no model, person or plugin answers
 * a request twice. Restores and verifies environments as in a fork.
 *
 * An open confirmation still stands, unless another program may have written it: then the kernel asks again. For a
 * command without an outcome, the kernel asks its actuator (`settle`); if that cannot tell, it dispatches an idempotent
 * command again, and leaves the outcome of others unknown.
 *
 * If the agent diverges or an environment cannot be restored, the task stays open.
 */
export const resume = (
  context: KernelContext,
  audit: (taskId: string) => Effect.Effect<TaskAudit.TaskAudit, TaskAudit.TaskNotFound | LogError>,
  taskId: string,
  given: Agent.Agent,
  input: ResumeOptions = {},
): Effect.Effect<TaskAudit.TaskAudit, ResumeError, Projector> =>
  Effect.gen(function* () {
    const agent = yield* Options.decode("tasks.resume", Agent.Agent, given, ["agent"])
    const options = yield* Options.decode("tasks.resume", ResumeOptions, input)
    yield* context.lease.held
    // Claim before reading, so that a task resumes only once.
    const claimed = Effect.suspend(() =>
      context.running.reserve(taskId)
        ? Effect.void
        : new NotResumable({ taskId, reason: "this kernel is already working on it" }),
    )
    return yield* Effect.acquireUseRelease(
      claimed,
      () => goOn(context, audit, taskId, agent, options),
      () => Effect.sync(() => context.running.release(taskId)),
    )
  })

/** An interrupt reaches only the set-up and the agent's work. */
const goOn = (
  context: KernelContext,
  audit: (taskId: string) => Effect.Effect<TaskAudit.TaskAudit, TaskAudit.TaskNotFound | LogError>,
  taskId: string,
  given: Agent.Agent,
  options: ResumeOptions,
): Effect.Effect<TaskAudit.TaskAudit, ResumeError, Projector> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { kernel, suspend } = suspendable(context, taskId)
      const { point, record, resumedBy } = yield* take(kernel, taskId, given)
      const { recording } = point
      const left = yield* withOwnQuestions(kernel, point.left)
      const answers = new Map<string, Answer>()
      const agent = Agent.withRecordedLimits(given, recording.opened.payload.limits)
      const { goal, seed, budget } = recording.instructions
      const opening: TaskStart.Opening = {
        ...participantsOf(recording),
        record,
        suspend,
        left: { commands: left, by: "resume", answers },
        id: taskId,
        goal,
        seed,
        budget,
        agentBudget: Agent.budgetOf(agent),
        openedBy: resumedBy,
        instanceName: taskId,
        perceptions: point.perceptions,
        past: recording.events,
        afterFailedSetUp: "suspend",
        agents: recording.opened.payload.agents,
        worked: (agentId) => WorkedTime.workedMs(recording.events, agentId),
        lost: LostCalls.until(recording.events, "resume"),
      }
      const task = yield* TaskStart.begin(kernel, opening, (open, untilClosed) =>
        // Before anything else acts, and in the restored world.
        restore(
          untilClosed(
            notRestored(taskId, WorldRestoration.restore(open, point, worldsOf(options))).pipe(
              Effect.zipRight(Settling.askAll(open, left, answers)),
              Effect.zipRight(
                options.restoreFiles === true ? notRestored(taskId, undo(open, point, answers, options)) : Effect.void,
              ),
            ),
          ),
        ),
      )
      const past = pastOf(point, agent)
      const recorded = RecordedTask.make({ ...recording, requests: past }, { byPlaceUntil: point.at, until: point.at })
      const guide = DecisionPoint.guideAt(point)
      let wentLive = false
      const noticed = noticing(task, () => {
        wentLive = true
      })
      const live = withTimeToRepeat(noticed, left, recording.capabilitiesAt(point.at))
      const { recorded: timed, silent } = yield* AnswerDeadline.withDeadline(recorded, options.ledWithinMs, {
        decides: Agent.decides(agent),
        isLive: () => wentLive || recorded.isUsedUp(),
      })
      const led = replayThenLive(timed, live, recording.instructions, () => false, guide)
      const unfinished = UnfinishedTurn.withUnfinishedTurn(led, live, recorded, left)
      const deciding = replayDecisions(agent, past)
      const limits = { ...recording.opened.payload.limits, ...options }
      const working = Effect.raceFirst(loop(deciding.agent, unfinished, limits), silent)
      const worked = yield* Effect.exit(restore(Effect.raceFirst(working, kernel.running.stopped(taskId))))
      const divergence = recorded.divergence() ?? RecordedTask.doneEarly(recorded, worked)
      if (divergence !== undefined) {
        yield* kernel.running.suspend(taskId)
        return yield* new ResumeDiverged({ taskId, agent: Agent.fullName(agent), divergence })
      }
      // An agent that failed during the replay may be fixed and resumed again.
      if (Exit.isFailure(worked) && !wentLive) {
        yield* kernel.running.suspend(taskId)
        return yield* Effect.failCause(worked.cause)
      }
      // Close the task even if the note fails.
      const note = { about: "resume", causationId: resumedBy } as const
      const noted = yield* Effect.exit(notePast(record.recorder, note, recorded, deciding.parted()))
      yield* endAfter(task, worked, kernel.keepsOpenTasks ? kernel.running.suspend : undefined)
      yield* worked
      yield* noted
      return yield* audit(taskId)
    }),
  )

/** The files of plugins without an environment may be restored later, by `undo`. */
const worldsOf = ({ restoreFiles: _, ...options }: ResumeOptions): WorldRestoration.RestoreOptions => options

/**
 * Restores files as of the last recorded look, if a command of unknown outcome may have ended half-way. Its effects
 * elsewhere stay.
 */
const undo = (
  task: OpenTask,
  { left, at }: OpenRecording.ResumePoint,
  answers: Map<string, Answer>,
  options: ResumeOptions,
) =>
  Effect.suspend(() => {
    const doubtful = left.filter(
      (command) => isInDoubt(command) && !isObserved(command) && answers.get(idOf(command))?.settled === undefined,
    )
    if (doubtful.length === 0) return Effect.void
    return Effect.map(FilesRestoration.restore(task, at, options), (isWhole) => {
      if (!isWhole) return
      for (const command of doubtful) {
        const { doubt } = answers.get(idOf(command)) ?? {}
        answers.set(idOf(command), { doubt: doubt === undefined ? BROUGHT_BACK : `${doubt}; ${BROUGHT_BACK}` })
      }
    })
  })

const BROUGHT_BACK = "the files of the workspace are as before it"

const idOf = ({ commanded }: LeftCommand): string => commanded.payload.commandId

type Answer = Pick<LeftCommand, "settled" | "doubt">

/** Records the resume. If another program appends in between, checks again. */
const take = (
  kernel: KernelContext,
  taskId: string,
  agent: Agent.Agent,
): Effect.Effect<
  { readonly point: OpenRecording.ResumePoint; readonly record: TaskStart.TaskRecord; readonly resumedBy: string },
  ResumeError,
  Projector
> =>
  Effect.gen(function* () {
    if (kernel.running.hasEnded()) {
      return yield* new NotResumable({ taskId, reason: "this kernel is shutting down" })
    }
    const recording = yield* Recording.load(kernel.log, taskId)
    yield* OpenRecording.check(recording, agent, yield* kernel.registry.state)
    yield* installed(kernel, recording)
    const point = OpenRecording.pointOf(recording)
    const record = yield* TaskStart.recordOf(kernel.log, taskId)
    record.lifecycle.noticed(recording.events)
    const inDoubt = point.left.filter(isInDoubt).map(({ commanded }) => commanded.payload.commandId)
    return yield* record.recorder
      .recordAfter(point.version, {
        type: "TaskResumed",
        causationId: recording.opened.id,
        payload: { agent: Agent.fullName(agent), at: point.at, inDoubt },
      })
      .pipe(
        Effect.map(({ id }) => ({ point, record, resumedBy: id })),
        Effect.catchTag("VersionConflict", () => take(kernel, taskId, agent)),
      )
  })

/** Fails if a plugin's copy, in the version of the opening, is gone. */
const installed = (kernel: KernelContext, { plugins, registryAt, opened, taskId }: Recording.Recording) =>
  Effect.gen(function* () {
    const then = registryAt(opened.position)
    for (const plugin of plugins) {
      const version = SafeRecord.get(then, plugin)
      if (version === undefined || isInProcess(version)) continue
      yield* kernel.registry
        .installed(plugin, version)
        .pipe(onPluginFailure(({ message }) => new NotResumable({ taskId, reason: message })))
    }
  })

const notRestored = <A, R>(taskId: string, restored: Effect.Effect<A, WorldRestoration.RestoreError, R>) =>
  Effect.catchTags(restored, {
    WorldNotRewound: ({ plugin, reason }) => new WorldNotRestored({ taskId, plugin, reason }),
    WorldDiffers: (differs) => new WorldNotRestored({ taskId, plugin: differs.plugin, reason: differs.difference }),
    EnvironmentRefused: ({ plugin, reason }) => new WorldNotRestored({ taskId, plugin, reason }),
    FilesNotRestored: ({ left }) =>
      new WorldNotRestored({ taskId, plugin: FILES, reason: FilesRestoration.words(left) }),
    FileUnreadable: ({ message, file }) => new WorldNotRestored({ taskId, plugin: file, reason: message }),
    // A resume has no overrides.
    OverrideInvalid: Effect.die,
  })

const pastOf = (
  { past, recording }: OpenRecording.ResumePoint,
  agent: Agent.Agent,
): ReadonlyArray<Recording.Request> => {
  if (!Agent.decides(agent)) return past.filter(({ kind }) => kind !== "decide")
  const hasDecided = recording.requests.some(({ kind }) => kind === "decide")
  return hasDecided ? past : Recording.beforeFirstDecision(past)
}
