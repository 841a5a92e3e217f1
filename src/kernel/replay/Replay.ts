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
  /** Agents as `name@version`. */
  readonly recorded: string
  readonly replayed: string
  /** `identical`: the same requests, choices and end, as far as the recording goes. */
  readonly verdict: "identical" | "diverged"
  /** The first difference; null if there is none. */
  readonly divergence: Divergence | null
  /** False if the recording was cut short or lacks an answer: it says nothing about the rest. */
  readonly complete: boolean
  readonly events: number
  /** Number of decisions with another rationale, which is no divergence. */
  readonly rationales: number
}

/** Options of a replay. */
export interface ReplayOptions {
  /** The timeline whose history has the task. Default: the log's, which is `main`. */
  readonly timeline?: string
  /** Time per decision, in milliseconds. A slower agent diverges (`no-answer`). Default: no limit. */
  readonly deadlineMs?: number
}

/** Schema of `ReplayOptions`. */
export const ReplayOptions = Options.of<ReplayOptions>({
  optional: { timeline: Options.Text, deadlineMs: Options.Milliseconds },
})

/** The progress of a replay. */
export interface Standing {
  /** The position of the next request or decision; null at the end. */
  readonly position: number | null
  /** The current decision, from 1; 0 if the recording has none. */
  readonly decision: number
  readonly decisions: number
}

/** A replay that reports its progress. */
export interface Begun {
  /** The current progress. */
  readonly standing: () => Standing
  /** Runs the replay to its end or its first divergence. */
  readonly report: Effect.Effect<ReplayReport>
}

/** Why a replay failed. A different decision is a result, not an error. */
export type ReplayError = Options.InvalidOptions | TaskNotFound | Timelines.TimelineNotFound | NotReplayable | LogError

/**
 * Runs an agent on a recorded task, by the same loop as a live run. It gets the recorded readings, outcomes,
 * confirmations, times and random numbers. Nothing is read, executed, asked, started or appended. A request without a
 * recorded answer ends the replay.
 *
 * In a fork, the agent first replays the part shared with the parent, as the recorded agent did.
 *
 * A replay is as hermetic as its agent, which may still read a file or the network directly.
 */
export const replay = (
  taskId: string,
  inputAgent: Agent.Agent,
  options: ReplayOptions = {},
): Effect.Effect<ReplayReport, ReplayError, EventLog | Projector> =>
  Effect.flatMap(begin(taskId, inputAgent, options), ({ report }) => report)

/** Prepares a `replay` that can report its progress while it runs. */
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
      const { recorded, silent } = yield* AnswerDeadline.withDeadline(recordedTask, deadlineMs, {
        decides: Agent.decides(agent),
        isLive: () => false,
      })
      const working = loop(led, recorded.task, { maxSteps: stepsOf(recording) })
      const exit = yield* Effect.exit(Effect.raceFirst(working, silent))
      if (Exit.isFailure(exit) && CauseOf.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
      const { divergence, complete } = compare(recording, recordedTask, exit, Agent.decides(agent))
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

const followed = (recording: Recording.Recording): Recording.Recording => {
  const { forked, requests } = recording
  if (forked?.fresh !== true) return recording
  return { ...recording, requests: requests.filter(({ position }) => position > forked.at) }
}

/** How far a fork or a resume replayed the recorded agent itself. */
const ledBefore = ({ forked, events }: Recording.Recording): RecordedTask.Leading => ({
  byPlaceUntil: events.reduce(
    (until, event) => (is(event, "TaskResumed") ? Math.max(until, event.payload.at) : until),
    forked?.at ?? 0,
  ),
})

const shared = ({ forked, requests, opened, events }: Recording.Recording): ReadonlyArray<Recording.Request> => {
  // Another version of the agent replayed the decisions of the earlier one.
  const until = events.reduce(
    (most, event) =>
      is(event, "TaskResumed") && event.payload.agent !== opened.payload.agent
        ? Math.max(most, event.payload.at)
        : most,
    forked?.at ?? 0,
  )
  return requests.filter(({ position }) => position <= until)
}

const recordedAgent = ({ opened, events }: Recording.Recording): string =>
  events.reduce((agent, event) => {
    if (is(event, "TaskResumed")) return event.payload.agent
    const forkedFor = is(event, "TimelineForked") ? event.payload.overrides.agent : undefined
    return typeof forkedFor === "string" ? forkedFor : agent
  }, opened.payload.agent)

/** Extra steps without any effect that an agent may take in a replay. */
const IDLE_STEPS = 1_000

/** A recording that ended by its limit of steps has the same limit. */
const stepsOf = ({ requests, closed }: Recording.Recording): number => {
  const decisions = requests.filter(({ kind }) => kind === "decide").length
  return closed?.payload.outcome === "truncated" && decisions > 0 ? decisions : requests.length + IDLE_STEPS
}

interface Comparison {
  readonly divergence: Divergence | null
  readonly complete: boolean
}

const compare = (
  recording: Recording.Recording,
  recordedTask: RecordedTask.RecordedTask,
  exit: Exit.Exit<RunResult, { readonly message: string }>,
  decides: boolean,
): Comparison => {
  const { closed, events } = recording
  const diverged = recordedTask.divergence()
  if (diverged !== undefined) return { divergence: diverged, complete: true }
  const end = closed?.position ?? events.at(-1)?.position ?? 0
  const more = recordedTask.exhausted()
  if (more !== undefined) {
    // The agent repeated a request whose answer the log lacks: the rest is unknown.
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

const failedOf = (cause: Cause.Cause<{ readonly message: string }>): JsonObject => {
  const problem = CauseOf.squash(cause)
  return endOf({ outcome: "failed", reason: problem instanceof Error ? problem.message : String(problem) })
}

/** True if the task ended from outside: its agent might have continued. */
const isCutShort = ({ outcome }: TaskEnd): boolean => outcome === "truncated" || outcome === "abandoned"

const wasCancelled = ({ events, forked }: Recording.Recording): boolean =>
  events.some((event) => is(event, "TaskCancelled") && event.position > (forked?.at ?? 0))

/** True if the task was abandoned, or ended without a recorded answer. */
const endedFromOutside = ({ outcome, reason = "" }: TaskEnd): boolean =>
  outcome === "abandoned" ? ABANDONED_REASONS.has(reason) : outcome === "truncated" && isUnrecordedReason(reason)

const ABANDONED_REASONS: ReadonlySet<string> = new Set([
  "the kernel ended",
  "its kernel ended",
  "its recorder ended",
  "it was interrupted",
])
