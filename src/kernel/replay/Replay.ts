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
import { between, choiceOf, type Divergence } from "./Divergence.ts"
import * as RecordedTask from "./RecordedTask.ts"
import * as Recording from "./Recording.ts"
import { isLacking } from "./ReplayedPlugins.ts"
import { led } from "./ReplayThenLive.ts"

export type { Divergence, DivergenceKind } from "./Divergence.ts"
export { NotReplayable } from "./Recording.ts"

/** What came of a replay. */
export interface ReplayReport {
  readonly taskId: string
  readonly timeline: string
  /** `name@version` of the agent that was recorded, and of the one that was replayed. */
  readonly recorded: string
  readonly replayed: string
  /** `identical`: it asked the same, chose the same and ended the same, as far as the recording goes. */
  readonly verdict: "identical" | "diverged"
  /** The first thing that it did otherwise; null where it is identical. */
  readonly divergence: Divergence | null
  /**
   * Whether the recording could be followed until the agent was done: one that was cut short from outside, or that lacks an
   * answer, says nothing of what came after.
   */
  readonly complete: boolean
  /** Events of the recording. */
  readonly events: number
  /** Decisions whose rationale reads otherwise: words change nothing of what is done. */
  readonly rationales: number
}

export interface ReplayOptions {
  /** The timeline whose history the task is replayed in. Default: the log's, which is `main`. */
  readonly timeline?: string
}

/** Their schema. */
export const ReplayOptions = Options.of<ReplayOptions>({ optional: { timeline: Options.Text } })

export type ReplayError =
  | Options.InvalidOptions
  | TaskNotFound
  | Timelines.TimelineNotFound
  | Recording.NotReplayable
  | LogError

/**
 * Lets today's agent work on a recorded task: it is shown the recorded readings, outcomes of commands and confirmations, the
 * time and the random numbers of then, by the same loop that runs it live. Nothing is read from a sensor, executed, asked
 * of anyone or appended: no process is started. What was not recorded has no answer, and ends the replay.
 *
 * In a fork the agent is led through what that shares with its parent, as the one was that went on with it.
 *
 * It is as hermetic as the agent is: one that looks past its view, at a file or the network, is not kept from it.
 */
export const replay = (
  taskId: string,
  givenAgent: Agent.Agent,
  options: ReplayOptions = {},
): Effect.Effect<ReplayReport, ReplayError, EventLog | Projector> =>
  Effect.gen(function* () {
    const agent = yield* Options.decode("replay", Agent.Agent, givenAgent, ["agent"])
    const { timeline } = yield* Options.decode("replay", ReplayOptions, options)
    const log = yield* EventLog
    const view = timeline === undefined ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const recording = followed(yield* Recording.load(view, taskId))
    const tape = RecordedTask.make(recording)
    const exit = yield* Effect.exit(loop(led(agent, shared(recording)), tape.task, { maxSteps: stepsOf(recording) }))
    if (Exit.isFailure(exit) && CauseOf.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
    const { divergence, complete } = verdict(recording, tape, exit)
    return {
      ...{ taskId, timeline: view.timeline, recorded: recordedAgent(recording), replayed: Agent.fullName(agent) },
      verdict: divergence === null ? "identical" : "diverged",
      ...{ divergence, complete, events: recording.events.length, rationales: tape.rationales() },
    }
  })

/** What its agent took part in: nothing of what was before a fork in which it began. */
const followed = (recording: Recording.Recording): Recording.Recording => {
  const { forked, requests } = recording
  if (forked?.fresh !== true) return recording
  return { ...recording, requests: requests.filter(({ position }) => position > forked.at) }
}

/** What a fork shares with its parent: its agent was led through that, and so is today's. */
const shared = ({ forked, requests }: Recording.Recording): ReadonlyArray<Recording.Request> =>
  requests.filter(({ position }) => position <= (forked?.at ?? 0))

/** Who worked on the task: in a fork, who went on with it. */
const recordedAgent = ({ opened, events }: Recording.Recording): string =>
  events.reduce((agent, event) => {
    const forkedFor = is(event, "TimelineForked") ? event.payload.overrides.agent : undefined
    return typeof forkedFor === "string" ? forkedFor : agent
  }, opened.payload.agent)

/** Steps that an agent which does nothing at all may take in a replay beyond what was recorded. */
const IDLE_STEPS = 1_000

/** A recording that was stopped by a limit of steps is so again; another one ends where its requests do. */
const stepsOf = ({ requests, closed }: Recording.Recording): number => {
  const decisions = requests.filter(({ kind }) => kind === "decide").length
  return closed?.payload.outcome === "truncated" && decisions > 0 ? decisions : requests.length + IDLE_STEPS
}

interface Verdict {
  readonly divergence: Divergence | null
  readonly complete: boolean
}

/** What it means how the agent's work on the tape ended. */
const verdict = (
  recording: Recording.Recording,
  tape: RecordedTask.RecordedTask,
  exit: Exit.Exit<RunResult, { readonly message: string }>,
): Verdict => {
  const { closed, events } = recording
  const diverged = tape.divergence()
  if (diverged !== undefined) return { divergence: diverged, complete: true }
  const end = closed?.position ?? events.at(-1)?.position ?? 0
  const more = tape.exhausted()
  if (more !== undefined) {
    // It asked what it had asked then, and the log has no answer to that: of what came after, a replay can say nothing.
    const isUnanswered = tape.left() > 0
    if (isUnanswered || closed === null || isCutShort(closed.payload)) return { divergence: null, complete: false }
    const expected = endOf(closed.payload)
    return { divergence: { kind: "asked-for-more", position: end, path: "", expected, found: more }, complete: true }
  }
  const found = Exit.match(exit, { onSuccess: (ended) => endOf(tape.closed() ?? ended), onFailure: failedOf })
  const next = tape.next()
  const kind = Exit.isFailure(exit) ? "agent-failed" : "done-earlier"
  if (next !== undefined) {
    const position = RecordedTask.positionOf(next)
    return { divergence: { kind, position, path: "", expected: choiceOf(next), found }, complete: true }
  }
  if (closed === null || isOutside(closed.payload)) return { divergence: null, complete: false }
  const different = between(end, endOf(closed.payload), found)
  if (different === undefined) return { divergence: null, complete: true }
  return { divergence: Exit.isFailure(exit) ? { ...different, kind } : different, complete: true }
}

interface Closing {
  readonly outcome: string
  readonly reason?: string
}

const endOf = ({ outcome, reason }: Closing): JsonObject => ({
  done: outcome,
  ...(reason === undefined ? {} : { reason: plainText(reason) }),
})

/** An agent that fails ends its task as failed, with what went wrong as the reason. */
const failedOf = (cause: Cause.Cause<{ readonly message: string }>): JsonObject => {
  const problem = CauseOf.squash(cause)
  return endOf({ outcome: "failed", reason: problem instanceof Error ? problem.message : String(problem) })
}

/** Whether a task ended by what came from outside, so that its agent might have gone on. */
const isCutShort = ({ outcome }: Closing): boolean => outcome === "truncated" || outcome === "abandoned"

/** Whether a task was left, or had no more answers, rather than ended by its agent or a limit of steps. */
const isOutside = ({ outcome, reason = "" }: Closing): boolean =>
  outcome === "abandoned" ? LEFT.has(reason) : outcome === "truncated" && isLacking(reason)

/** Why the kernel says that a task was abandoned. */
const LEFT: ReadonlySet<string> = new Set(["the kernel ended", "its kernel ended", "it was interrupted"])
