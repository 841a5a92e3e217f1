/** Executes the tool calls of one answer: each has exactly one result, whatever becomes of it. */

import { Effect } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import type { ActError, CommandOutcome } from "../kernel/acting/CommandExecution.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import type { PerceiveError } from "../kernel/sensing/Perception.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import type { InvalidOptions } from "../values/Options.ts"
import { type AgentTools, PERCEIVE } from "./AgentTools.ts"
import type { CallPart, ToolResult } from "./models/Message.ts"

/** The results of an answer's calls, in the order of the calls, and the events that they come from. */
export interface Executed {
  readonly results: ReadonlyArray<ToolResult>
  readonly evidence: ReadonlyArray<Event>
  /** Number of commands. */
  readonly commands: number
}

export type ExecuteError = TaskClosed | InvalidOptions | ActError | PerceiveError

/**
 * Executes calls. The sensors are read first, and once; then the commands are requested together. A call that cannot
 * become a command (an unknown tool, arguments that are no JSON object) has an error as its result.
 *
 * @param causationId the decision that the commands come from
 * @param mostCommands the commands that the budget allows; calls beyond them are refused
 */
export const execute = (
  task: AgentTask,
  tools: AgentTools,
  calls: ReadonlyArray<CallPart>,
  causationId: string,
  mostCommands = Number.POSITIVE_INFINITY,
): Effect.Effect<Executed, ExecuteError> =>
  Effect.gen(function* () {
    const perceives = tools.descriptions.some(({ name }) => name === PERCEIVE)
    const readings = perceives && calls.some(({ tool }) => tool === PERCEIVE) ? yield* task.perceive() : []
    const told: Json = Object.fromEntries(readings.map(({ sensor, reading }) => [sensor, reading]))
    const evidence = readings.map(({ event }) => event)
    let commands = 0
    const one = (call: CallPart): Effect.Effect<ToolResult, ExecuteError> => {
      const { callId, tool, args, invalid } = call
      const refused = (content: string): ToolResult => ({ callId, tool, isError: true, content })
      if (invalid === true) return Effect.succeed(refused(`expected arguments that are JSON, found ${String(args)}`))
      if (perceives && tool === PERCEIVE) return Effect.succeed({ callId, tool, isError: false, content: told })
      const actuator = tools.actuators.get(tool)
      if (actuator === undefined) {
        const known = tools.descriptions.map(({ name }) => name).join(", ")
        return Effect.succeed(refused(`there is no tool of this name; the tools are: ${known || "none"}`))
      }
      if (!isObject(args)) {
        return Effect.succeed(refused(`expected arguments that are a JSON object, found ${JSON.stringify(args)}`))
      }
      if (commands >= mostCommands) return Effect.succeed(refused("the budget of commands is used up"))
      commands += 1
      return Effect.map(task.act(actuator, args, { causationId, callId }), (outcome): ToolResult => {
        evidence.push(outcome.event)
        return { callId, tool, ...resultOf(outcome) }
      })
    }
    const results = yield* Effect.forEach(calls, one, { concurrency: "unbounded" })
    return { results, evidence: evidence.sort((a, b) => a.position - b.position), commands }
  })

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a model is told of a command's outcome. */
const resultOf = (outcome: CommandOutcome): Pick<ToolResult, "isError" | "content"> => {
  switch (outcome.status) {
    case "succeeded":
      return { isError: false, content: outcome.result }
    case "failed":
      return { isError: true, content: { failed: outcome.error.message, code: outcome.error.code } }
    case "denied":
      return { isError: true, content: { denied: outcome.reason } }
    case "expired":
      return { isError: true, content: { expired: outcome.reason } }
    case "unknown":
      return { isError: true, content: { outcomeUnknown: outcome.reason } }
  }
}

/**
 * The results in the order of the calls. Calls of `answer` that were refused say why, and so does a result with which
 * they would be too long.
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

/** Most of the results of one answer that a model is told, in bytes of JSON: they are recorded in one event. */
const MOST_TOLD = 6 * 1024 * 1024
