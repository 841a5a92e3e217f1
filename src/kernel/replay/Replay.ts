/** Replays a recorded task with an agent, and reports the first difference. */

import { type Cause, Effect, Exit } from "effect"
import * as CauseOf from "effect/Cause"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as Agent from "../agents/Agent.ts"
import { loop, type RunResult } from "../agents/AgentLoop.ts"
import type { NotReplayable } from "../context/NotReplayable.ts"
import { CONVERSATION_ENDED } from "../tasks/Inputs.ts"
import * as AnswerDeadline from "./AnswerDeadline.ts"
import { between, choiceOf, type Divergence } from "./Divergence.ts"
import * as RecordedTask from "./RecordedTask.ts"
import * as Recording from "./Recording.ts"
import { replayDecisions } from "./ReplayedDecisions.ts"
import { isUnrecordedReason } from "./ReplayedPlugins.ts"

export { NotReplayable } from "../context/NotReplayable.ts"
export type { Divergence, DivergenceKind } from "./Divergence.ts"

/** The result of a replay. */
export interface ReplayReport {
  readonly taskId: string
  readonly timeline: string
  /** The agents that were recorded and replayed, as `name@version`. */
  readonly recorded: string
  readonly replayed: string
  /** `identical`: it made the same requests and choices and ended the same, as far as the recording goes. */
  readonly verdict: "identical" | "diverged"
  /** The first difference; null if there is none. */
  readonly divergence: Divergence | null
  /**
   * Whether the replay reached the agent's end. A recording that was cut short from outside, or that lacks an answer,
   * says nothing about the rest.
   */
  readonly complete: boolean
  /** Number of events in the recording. */
  readonly events: number
  /** Number of decisions whose rationale differs. Rationales do not count as a difference. */
  readonly rationales: number
}

/** Which recording of a task is replayed. */
export interface ReplayOptions {
  /** The timeline in whose history the task is replayed. Default: the log's, which is `main`. */
  readonly timeline?: string
  /**
   * How long the agent may take for each decision, in milliseconds. One that takes longer has diverged (`no-answer`).
   * Default: no limit.
   */
  readonly deadlineMs?: number
}

/** Schema of `ReplayOptions`. */
export const ReplayOptions = Options.of<ReplayOptions>({
  optional: { timeline: Options.Text, deadlineMs: Options.Milliseconds },
})

/** Where a replay stands. */
export interface Standing {
  /** The position of what the agent is to ask or decide next; null if the recording has ended. */
  readonly position: number | null
  /** The number of the decision that the agent is at, from 1; 0 if no decision is recorded. */
  readonly decision: number
  /** Number of recorded decisions. */
  readonly decisions: number
}

/** A replay that can be asked where it stands. */
export interface Begun {
  /** Where the replay stands now. */
  readonly standing: () => Standing
  /** The replay itself, to its end or to its first divergence. */
  readonly report: Effect.Effect<ReplayReport>
}

/** Why a task was not replayed. An agent that decides otherwise is no error but a result. */
export type ReplayError = Options.InvalidOptions | TaskNotFound | Timelines.TimelineNotFound | NotReplayable | LogError

/**
 * Runs an agent on a recorded task, by the same loop as a live run. The agent gets the recorded readings, outcomes,
 * confirmations, times and random numbers. No sensor is read, no command executed, no person asked, no process
 * started and nothing appended. A request that was not recorded has no answer, and ends the replay.
 *
 * In a fork, the agent is first led through the part shared with the parent, like the recorded agent was.
 *
 * A replay is as hermetic as its agent: reading a file or the network directly is not prevented.
 */
export const replay = (
  taskId: string,
  inputAgent: Agent.Agent,
  options: ReplayOptions = {},
): Effect.Effect<ReplayReport, ReplayError, EventLog | Projector> =>
  Effect.flatMap(begin(taskId, inputAgent, options), ({ report }) => report)

/** Begins what `replay` does, so that where it stands can be asked meanwhile. */
export const begin = (
  taskId: string,
  inputAgent: Agent.Agent,
  options: ReplayOptions = {},
): Effect.Effect<Begun, ReplayError, EventLog | Projector> =>
  Effect.gen(function* () {
    const agent = yield* Options.decode("replay", Agent.Agent, inputAgent, ["agent"])
    const { timeline, deadlineMs } = yield* Options.decode("replay", ReplayOptions, options)
    const log = yield* EventLog
    const view = timeline === undefined ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const recording = followed(yield* Recording.load(view, taskId))
    const recordedTask = RecordedTask.make(recording, ledBefore(recording))
    const limited = Agent.withRecordedLimits(agent, recording.opened.payload.limits)
    const led = replayDecisions(limited, shared(recording)).agent
    const report = Effect.gen(function* () {
      const { recorded, silent } = yield* AnswerDeadline.hurried(recordedTask, deadlineMs, {
        decides: Agent.decides(agent),
        isLive: () => false,
      })
      const working = loop(led, recorded.task, { maxSteps: stepsOf(recording) })
      const exit = yield* Effect.exit(Effect.raceFirst(working, silent))
      if (Exit.isFailure(exit) && CauseOf.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
      const { divergence, complete } = verdict(recording, recordedTask, exit, Agent.decides(agent))
      return {
        taskId,
        timeline: view.timeline,
        recorded: recordedAgent(recording),
        replayed: Agent.fullName(agent),
        verdict: divergence === null ? ("identical" as const) : ("diverged" as const),
        divergence,
        complete,
        events: recording.events.length,
        rationales: recordedTask.rationales(),
      }
    })
    return { report, standing: () => standing(recording, recordedTask.next(Agent.decides(agent))) }
  })

const standing = ({ events }: Recording.Recording, due: Recording.Request | undefined): Standing => {
  const position = due === undefined ? null : RecordedTask.positionOf(due)
  const decided = events.filter((event) => is(event, "DecisionMade"))
  const before = decided.filter((event) => position === null || event.position < position).length
  return { position, decision: Math.min(before + 1, decided.length), decisions: decided.length }
}

/** The requests that the recorded agent made. A fork that started fresh excludes the requests before it. */
const followed = (recording: Recording.Recording): Recording.Recording => {
  const { forked, requests } = recording
  if (forked?.fresh !== true) return recording
  return { ...recording, requests: requests.filter(({ position }) => position > forked.at) }
}

/** Up to where the recorded agent was led itself, by a fork or a kernel that resumed the task. */
const ledBefore = ({ forked, events }: Recording.Recording): RecordedTask.Leading => ({
  byPlaceUntil: events.reduce(
    (until, event) => (is(event, "TaskResumed") ? Math.max(until, event.payload.at) : until),
    forked?.at ?? 0,
  ),
})

/**
 * The requests that a fork shares with its parent. The recorded agent was led through them, and so is the replayed
 * one.
 */
const shared = ({ forked, requests, opened, events }: Recording.Recording): ReadonlyArray<Recording.Request> => {
  // Another version of the agent was led over what the earlier one had decided.
  const until = events.reduce(
    (most, event) =>
      is(event, "TaskResumed") && event.payload.agent !== opened.payload.agent
        ? Math.max(most, event.payload.at)
        : most,
    forked?.at ?? 0,
  )
  return requests.filter(({ position }) => position <= until)
}

/** The agent that worked on the task; in a fork, the fork's agent. */
const recordedAgent = ({ opened, events }: Recording.Recording): string =>
  events.reduce((agent, event) => {
    if (is(event, "TaskResumed")) return event.payload.agent
    const forkedFor = is(event, "TimelineForked") ? event.payload.overrides.agent : undefined
    return typeof forkedFor === "string" ? forkedFor : agent
  }, opened.payload.agent)

/** Steps beyond the recorded ones that an agent without any effect may take in a replay. */
const IDLE_STEPS = 1_000

/** A recording that ended by a limit of steps has the same limit. Any other one ends with its requests. */
const stepsOf = ({ requests, closed }: Recording.Recording): number => {
  const decisions = requests.filter(({ kind }) => kind === "decide").length
  return closed?.payload.outcome === "truncated" && decisions > 0 ? decisions : requests.length + IDLE_STEPS
}

interface Verdict {
  readonly divergence: Divergence | null
  readonly complete: boolean
}

/** The verdict about the agent's run. `decides`: whether it makes decisions that are recorded. */
const verdict = (
  recording: Recording.Recording,
  recordedTask: RecordedTask.RecordedTask,
  exit: Exit.Exit<RunResult, { readonly message: string }>,
  decides: boolean,
): Verdict => {
  const { closed, events } = recording
  const diverged = recordedTask.divergence()
  if (diverged !== undefined) return { divergence: diverged, complete: true }
  const end = closed?.position ?? events.at(-1)?.position ?? 0
  const more = recordedTask.exhausted()
  if (more !== undefined) {
    // The agent repeated a request whose answer the log lacks. A replay says nothing about the rest.
    const isUnanswered = !recordedTask.isUsedUp()
    // People ended the conversation while the agent waited for them, as it does now.
    const isEnd = !isUnanswered && "inputs" in more && closed?.payload.reason === CONVERSATION_ENDED
    if (isEnd) return { divergence: null, complete: true }
    if (isUnanswered || closed === null || isCutShort(closed.payload)) return { divergence: null, complete: false }
    const expected = endOf(closed.payload)
    const kind = "unansweredMs" in more ? "no-answer" : "asked-for-more"
    return { divergence: { kind, position: end, path: "", expected, found: more }, complete: true }
  }
  const found = Exit.match(exit, { onSuccess: (ended) => endOf(recordedTask.closed() ?? ended), onFailure: failedOf })
  const next = recordedTask.next(decides)
  const kind = Exit.isFailure(exit) ? "agent-failed" : "done-earlier"
  if (next !== undefined) {
    const position = RecordedTask.positionOf(next)
    return { divergence: { kind, position, path: "", expected: choiceOf(next), found }, complete: true }
  }
  if (closed === null || wasCancelled(recording) || endedFromOutside(closed.payload))
    return { divergence: null, complete: false }
  const different = between(end, endOf(closed.payload), found)
  if (different === undefined) return { divergence: null, complete: true }
  return { divergence: Exit.isFailure(exit) ? { ...different, kind } : different, complete: true }
}

interface TaskEnd {
  readonly outcome: string
  readonly reason?: string
}

const endOf = ({ outcome, reason }: TaskEnd): JsonObject => ({
  done: outcome,
  ...(reason === undefined ? {} : { reason: plainText(reason) }),
})

/** The end of a task whose agent failed, with the error as its reason. */
const failedOf = (cause: Cause.Cause<{ readonly message: string }>): JsonObject => {
  const problem = CauseOf.squash(cause)
  return endOf({ outcome: "failed", reason: problem instanceof Error ? problem.message : String(problem) })
}

/** Whether a task was ended from outside, so that its agent might have continued. */
const isCutShort = ({ outcome }: TaskEnd): boolean => outcome === "truncated" || outcome === "abandoned"

/** Whether a person ended the task. */
const wasCancelled = ({ events, forked }: Recording.Recording): boolean =>
  events.some((event) => is(event, "TaskCancelled") && event.position > (forked?.at ?? 0))

/**
 * Whether a task was ended neither by its agent nor by a limit of steps: it was abandoned, or had no recorded answer.
 */
const endedFromOutside = ({ outcome, reason = "" }: TaskEnd): boolean =>
  outcome === "abandoned" ? ABANDONED_REASONS.has(reason) : outcome === "truncated" && isUnrecordedReason(reason)

/** The reasons with which tasks are closed that nobody works on any more. */
const ABANDONED_REASONS: ReadonlySet<string> = new Set([
  "the kernel ended",
  "its kernel ended",
  "its recorder ended",
  "it was interrupted",
])
