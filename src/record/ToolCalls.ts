/** Functions of a recorded program as tools: each call is a command that passes the gate, with its outcome. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import type { Failure } from "../events/vocabulary/EventType.ts"
import type { ConfirmationRequest, ConfirmationResult } from "../kernel/gate/ConfirmationRequests.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import { digest } from "../values/Digest.ts"
import { type JsonObject, plainText } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"
import * as JsonCopy from "./JsonCopy.ts"
import type { RunLog } from "./log/RunLog.ts"
import { recordable } from "./Recordable.ts"
import { type Recorded, ToolDenied, type ToolOptions } from "./Run.ts"
import { failureOf } from "./Thrown.ts"
import * as Unrecorded from "./Unrecorded.ts"

/** What tools need. */
export interface ToolParts {
  readonly log: RunLog
  readonly redaction: Redaction
  /** Without one, every call is allowed. With one, nothing is called that it was not asked about. */
  readonly gate: Gate.GateConfig | undefined
  /** Asks a person. */
  readonly ask: (question: ConfirmationRequest) => Promise<ConfirmationResult>
}

/** A command before its outcome. */
interface Command {
  readonly tool: string
  readonly options: ToolOptions
  readonly args: JsonObject
  readonly argsDigest: string
  /** Whether the arguments are recorded whole, so that who reads the event sees what the function is given. */
  readonly isWhole: boolean
  readonly commandId: string
  /** The id of the event that the next one is caused by. */
  last: string
}

/** The rule that allows the calls of a run for which there is no gate: its program asked nobody before either. */
const NO_GATE = { decision: "allow", rule: "recorded", reason: "", confirmWithinMs: 0 } as const

/** Why nobody is asked about arguments that are shortened: the function would be given more than the person saw. */
const NOT_SHOWN = {
  rule: "too-large",
  reason: "a person would have to confirm it, and its arguments are too large to be shown whole: pass less",
} as const

/** Makes a tool of a function. */
export const tool =
  <Args extends ReadonlyArray<unknown>, Result>(
    parts: ToolParts,
    name: string,
    does: (...args: Args) => Result,
    options: ToolOptions = {},
  ): Recorded<Args, Result> =>
  async (...given): Promise<Awaited<Result>> => {
    const { log, redaction } = parts
    const args = redaction.value(JsonCopy.argsOf(given))
    const argsDigest = digest(args)
    const recorded = recordable(args, (omitted) => ({ omitted }))
    const isWhole = recorded === args
    const command: Command = {
      ...{ tool: name, options, args: recorded, argsDigest, isWhole },
      ...{ commandId: newId(), last: newId() },
    }
    const isRecorded = await dispatched(parts, command)
    if (!isRecorded && parts.gate !== undefined) {
      throw new ToolDenied({ tool: name, rule: "log", reason: "the log failed, and with it the gate" })
    }
    const startedAt = performance.now()
    const latencyMs = () => MonotonicClock.elapsedSince(startedAt)
    let result: unknown
    try {
      result = await does(...given)
    } catch (thrown) {
      await log.tell(failed(command, failureOf(thrown, redaction), latencyMs()))
      throw thrown
    }
    const { commandId, last: causationId } = command
    const took = latencyMs()
    await Unrecorded.appendResult(log, redaction, result, (result, why) => ({
      ...{ type: "CommandSucceeded", causationId },
      payload: { commandId, result, latencyMs: took, ...Unrecorded.because(why) },
    }))
    return result as Awaited<Result>
  }

/**
 * Records a command up to its dispatch. Answers whether it was recorded, which it is not if the log has failed. Rejects with
 * `ToolDenied` if the gate or a person refuses.
 */
const dispatched = async (parts: ToolParts, command: Command): Promise<boolean> => {
  const { log, gate } = parts
  const actuator = `program/${command.tool}`
  const { decision, rule, reason, confirmWithinMs } =
    gate === undefined ? NO_GATE : Gate.decide(gate, { actuator, risk: command.options.risk ?? "undeclared" })
  switch (decision) {
    case "allow":
      return log.append([commanded(command), ...allowed(command, rule)], { begins: true })
    case "deny":
      return refused(log, command, { rule, reason })
    case "confirm": {
      if (!command.isWhole) return refused(log, command, NOT_SHOWN)
      if (!(await log.tell(commanded(command)))) return false
      const settled = await log.attempt(() => parts.ask(questionOf(log.taskId, command, confirmWithinMs)))
      if (settled === undefined) return false
      command.last = settled.event.id
      if (settled.kind === "approved") return log.append(allowed(command, rule), { begins: true })
      const why = settled.kind === "rejected" ? settled.reason : "nobody decided in time"
      await log.tell(denied(command, rule, why))
      throw new ToolDenied({ tool: command.tool, rule: settled.kind === "rejected" ? rule : "expired", reason: why })
    }
  }
}

const refused = async (
  log: RunLog,
  command: Command,
  { rule, reason }: { readonly rule: string; readonly reason: string },
): Promise<never> => {
  await log.tell(commanded(command), denied(command, rule, reason))
  throw new ToolDenied({ tool: command.tool, rule, reason })
}

const commanded = ({ tool, args, argsDigest, commandId, last }: Command): CoreNewEvent => ({
  ...{ type: "ActuatorCommanded", id: last },
  payload: { commandId, actuator: `program/${tool}`, args, argsDigest, priority: 0 },
})

/** A command is allowed and dispatched in one commit, which is on the disk before the function is called. */
const allowed = (command: Command, rule: string): readonly [CoreNewEvent, CoreNewEvent] => {
  const { commandId } = command
  const [allowed, dispatched] = [newId(), newId()]
  const causationId = command.last
  command.last = dispatched
  return [
    { type: "CommandAllowed", id: allowed, causationId, payload: { commandId, rule } },
    { type: "CommandDispatched", id: dispatched, causationId: allowed, payload: { commandId } },
  ]
}

const denied = ({ commandId, last }: Command, rule: string, reason: string): CoreNewEvent => ({
  ...{ type: "CommandDenied", causationId: last, payload: { commandId, rule, reason: plainText(reason) } },
})

const failed = ({ commandId, last }: Command, error: Failure, latencyMs: number): CoreNewEvent => ({
  type: "CommandFailed",
  causationId: last,
  payload: { commandId, error, latencyMs },
})

/** What a person is asked. */
const questionOf = (taskId: string, command: Command, withinMs: number): ConfirmationRequest => {
  const { tool, options, args, argsDigest, commandId, last } = command
  const { risk = "undeclared", description = "A function of the recorded program" } = options
  const shown = {
    actuator: `program/${tool}`,
    args,
    risk,
    description,
    plugin: "program",
    pluginDigest: digest({ tool, risk, description }),
  }
  return { taskId, commandId, argsDigest, shown, withinMs, causationId: last }
}
