/** Executes the tool calls of one answer. Each call has exactly one result, even if it fails. */

import { Effect } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ChildUse } from "../events/vocabulary/Tasks.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { ActError, CommandOutcome } from "../kernel/acting/CommandExecution.ts"
import { INTERRUPTED, OUT_OF_TIME, wasStopped } from "../kernel/acting/command/Outcome.ts"
import * as FailedStep from "../kernel/acting/FailedStep.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import type { PerceiveError } from "../kernel/sensing/Perception.ts"
import { defined } from "../values/defined.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import type { InvalidOptions } from "../values/Options.ts"
import { type AgentTools, PERCEIVE } from "./AgentTools.ts"
import type { Budget } from "./Budget.ts"
import { type LongResults, READ_RESULT } from "./LongResults.ts"
import { lostNumberIn } from "./models/Arguments.ts"
import type { CallPart, ToolResult } from "./models/Message.ts"

export interface Executed {
  readonly results: ReadonlyArray<ToolResult>
  readonly evidence: ReadonlyArray<Event>
  readonly commands: number
  /** Whether a call was stopped because no time was left. A replay is faster and must read this from the record. */
  readonly wasLate: boolean
}

export type ExecuteError = TaskClosed | InvalidOptions | ActError | PerceiveError

/**
 * Whether calls must run one by one: true unless every tool that acts is declared `concurrent` or has the risk `none`.
 */
export const isOrdered = ({ actuators, concurrent }: AgentTools, calls: ReadonlyArray<CallPart>): boolean =>
  calls.length > 1 && calls.some(({ tool }) => actuators.has(tool) && !concurrent.has(tool))

/** The actuator of a call that can become a command; undefined for one that has its result without. */
export const actuatorOf = (tools: AgentTools, { tool, args, invalid, text }: CallPart): string | undefined =>
  invalid === true || isReadOfResult(tools, tool) || !isObject(args) || lostIn(text) !== undefined
    ? undefined
    : tools.actuators.get(tool)

const isReadOfResult = ({ limits }: AgentTools, tool: string): boolean => tool === READ_RESULT && limits.size > 0

/** A number in the arguments' text that JavaScript cannot hold. */
const lostIn = (text: string | undefined): string | undefined => (text === undefined ? undefined : lostNumberIn(text))

export interface ExecuteOptions {
  readonly causationId: string
  /**
   * Whether each call waits for the result before it. Otherwise the sensors are read first, and once; then all commands
   * are requested together.
   */
  readonly ordered: boolean
  readonly mostCommands: number
  /** The long results of the task so far. */
  readonly longResults: LongResults
  /** The time for all calls together, in milliseconds; infinite without a limit. */
  readonly leftMs: Effect.Effect<number>
  /** What each of several agents that are called together may use; undefined without limits. */
  readonly shareOf: (together: number) => Effect.Effect<Budget | undefined>
  /** Counts what a called agent used. */
  readonly count: (child: ChildUse) => void
}

/** A call that cannot become a command (an unknown tool, arguments that are not a JSON object) results in an error. */
export const execute = (
  task: AgentTask,
  tools: AgentTools,
  calls: ReadonlyArray<CallPart>,
  { causationId, ordered, mostCommands, longResults, leftMs, shareOf, count }: ExecuteOptions,
): Effect.Effect<Executed, ExecuteError> =>
  Effect.gen(function* () {
    const perceives = tools.descriptions.some(({ name }) => name === PERCEIVE)
    const evidence: Array<Event> = []
    const perceive = Effect.map(task.perceive(), (readings): Json => {
      evidence.push(...readings.map(({ event }) => event))
      return Object.fromEntries(readings.map(({ sensor, reading }) => [sensor, reading]))
    })
    /** The last readings; undefined once a command may have changed them. */
    let told: Json | undefined
    if (!ordered && perceives && calls.some(({ tool }) => tool === PERCEIVE)) told = yield* perceive
    const called = calls.filter(({ tool }) => tools.agents.has(tool)).length
    const share = yield* called === 0 || ordered ? Effect.succeed(undefined) : shareOf(called)
    let commands = 0
    let stopped: string | undefined
    const one = (call: CallPart): Effect.Effect<ToolResult, ExecuteError> => {
      const { callId, tool, args, invalid, text } = call
      const refused = (content: string): ToolResult => ({ callId, tool, isError: true, content })
      if (invalid === true) return Effect.succeed(refused(`expected arguments that are JSON, found ${String(args)}`))
      const lost = lostIn(text)
      if (lost !== undefined) {
        return Effect.succeed(refused(`expected numbers that JavaScript holds, found ${lost}: give it as text`))
      }
      if (perceives && tool === PERCEIVE) {
        return Effect.map(told === undefined ? perceive : Effect.succeed(told), (content): ToolResult => {
          told = content
          return { callId, tool, isError: false, content }
        })
      }
      if (isReadOfResult(tools, tool)) return Effect.succeed({ callId, tool, ...longResults.read(args) })
      const actuator = tools.actuators.get(tool)
      if (actuator === undefined) {
        const known = tools.descriptions.map(({ name }) => name).join(", ")
        return Effect.succeed(refused(`there is no tool of this name; the tools are: ${known || "none"}`))
      }
      if (!isObject(args)) {
        return Effect.succeed(refused(`expected arguments that are a JSON object, found ${JSON.stringify(args)}`))
      }
      if (commands >= mostCommands) return Effect.succeed(refused("the budget of commands is used up"))
      if (ordered && stopped !== undefined) return Effect.succeed(refused(`not executed: ${stopped} before its turn`))
      commands += 1
      if (ordered) told = undefined
      const acting = Effect.gen(function* () {
        const withinMs = yield* leftMs
        // One by one, each may use what the ones before it left.
        const budget = tools.agents.has(tool) ? (ordered ? yield* shareOf(1) : share) : undefined
        return yield* task.act(actuator, args, {
          causationId,
          callId,
          interruptible: true,
          ...(Number.isFinite(withinMs) ? { withinMs } : {}),
          ...defined({ budget }),
        })
      })
      return Effect.map(acting, (outcome): ToolResult => {
        evidence.push(outcome.event)
        const child = childIn(outcome.event)
        if (child !== undefined) count(child)
        if (wasStopped(outcome, OUT_OF_TIME)) stopped = OUT_OF_TIME
        else if (wasStopped(outcome, INTERRUPTED)) stopped ??= INTERRUPTED
        const { isError, content } = resultOf(outcome)
        const limit = tools.limits.get(tool)
        return {
          callId,
          tool,
          isError,
          content: limit === undefined ? content : longResults.shown(callId, content, limit),
        }
      })
    }
    const results = yield* Effect.forEach(calls, (call) => Effect.suspend(() => one(call)), {
      concurrency: ordered ? 1 : "unbounded",
    })
    return {
      results,
      evidence: evidence.sort((a, b) => a.position - b.position),
      commands,
      wasLate: stopped === OUT_OF_TIME,
    }
  })

/** The task of the agent that a command called. */
const childIn = (event: Event): ChildUse | undefined =>
  is(event, "CommandSucceeded") || is(event, "CommandFailed") ? event.payload.child : undefined

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const resultOf = (outcome: CommandOutcome): Pick<ToolResult, "isError" | "content"> => {
  switch (outcome.status) {
    case "succeeded":
      return {
        isError: false,
        content:
          outcome.unrecorded === undefined
            ? outcome.result
            : { succeeded: true, resultNotRecorded: outcome.unrecorded, note: "It was done. Do not repeat it." },
      }
    case "failed": {
      const { code, message } = outcome.error
      const note = FailedStep.advice(code)
      return { isError: true, content: { failed: message, code, ...defined({ note }) } }
    }
    case "denied":
      return { isError: true, content: { denied: outcome.reason } }
    case "expired":
      return { isError: true, content: { expired: outcome.reason } }
    case "unknown":
      return { isError: true, content: { outcomeUnknown: outcome.reason } }
  }
}

/**
 * Results in the order of the calls. A refused call of `answer` carries the refusal; a notice replaces a result beyond
 * the total limit.
 */
export const inOrder = (
  calls: ReadonlyArray<CallPart>,
  results: ReadonlyArray<ToolResult>,
  refusal: string | undefined,
): ReadonlyArray<ToolResult> => {
  const byCall = new Map(results.map((result) => [result.callId, result]))
  let left = MOST_TOLD
  return calls.map(({ callId, tool }) => {
    const result = byCall.get(callId) ?? { callId, tool, isError: true, content: refusal ?? "expected one answer" }
    const bytes = Buffer.byteLength(JSON.stringify(result.content))
    left -= bytes
    if (left >= 0) return result
    left += bytes
    return { ...result, content: `the result has ${bytes} bytes, which is too long to be told` }
  })
}

/** Maximum total size of one answer's results, in bytes of JSON: one event records them all. */
const MOST_TOLD = 6 * 1024 * 1024
