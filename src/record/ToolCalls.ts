/** Functions of a recorded program as tools: each call is a command that passes the gate, with its outcome. */

import { Cause, Data, Effect, Exit } from "effect"
import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import type { Failure } from "../events/vocabulary/EventType.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import * as Interpreter from "../kernel/acting/Interpreter.ts"
import type { ConfirmationRequest, ConfirmationResult } from "../kernel/gate/ConfirmationRequests.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import * as MonotonicClock from "../platform/MonotonicClock.ts"
import { digest } from "../values/Digest.ts"
import type { JsonObject } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"
import * as JsonCopy from "./JsonCopy.ts"
import type { RunLog } from "./log/RunLog.ts"
import { recordable } from "./Recordable.ts"
import { type Recorded, ToolDenied, type ToolOptions } from "./Run.ts"
import { failureOf } from "./Thrown.ts"
import * as Unrecorded from "./Unrecorded.ts"
import * as Within from "./Within.ts"

/** What tools need. */
export interface ToolParts {
  readonly log: RunLog
  readonly redaction: Redaction
  /** Without one, every call is allowed. With one, nothing is called that it was not asked about. */
  readonly gate: Gate.GateConfig | undefined
  /** The id of the event that everything is caused by. */
  readonly openedBy: string
  /** Asks a person. */
  readonly ask: (question: ConfirmationRequest) => Promise<ConfirmationResult>
}

/** A call on its way. */
interface Call extends Interpreter.Traveller {
  readonly tool: string
  readonly options: ToolOptions
  /** Why it is refused, once it is. */
  denied?: { readonly rule: string; readonly reason: string }
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
    const call = callOf(parts, name, options, redaction.value(JsonCopy.argsOf(given)))
    const isRecorded = await dispatched(parts, call)
    if (call.denied !== undefined) throw new ToolDenied({ tool: name, ...call.denied })
    if (!isRecorded && parts.gate !== undefined) {
      throw new ToolDenied({ tool: name, rule: "log", reason: "the log failed, and with it the gate" })
    }
    const startedAt = performance.now()
    const latencyMs = () => MonotonicClock.elapsedSince(startedAt)
    let result: unknown
    try {
      result = await Within.run(call.state.last, () => does(...given))
    } catch (thrown) {
      await log.tell(failed(call, failureOf(thrown, redaction), latencyMs()))
      throw thrown
    }
    const { commandId } = call.request
    const causationId = call.state.last
    const took = latencyMs()
    await Unrecorded.appendResult(log, redaction, result, (result, why) => ({
      type: "CommandSucceeded",
      causationId,
      payload: { commandId, result, latencyMs: took, ...Unrecorded.because(why) },
    }))
    return result as Awaited<Result>
  }

/** A call with what the gate says to it. Where its arguments are too large for an event, nobody is asked about them. */
const callOf = ({ gate, openedBy }: ToolParts, tool: string, options: ToolOptions, args: JsonObject): Call => {
  const actuator = `program/${tool}`
  const recorded = recordable(args, (omitted) => ({ omitted }))
  const ruling =
    gate === undefined ? NO_GATE : Gate.decide(gate, { actuator, risk: options.risk ?? "undeclared", args })
  const isUnseen = ruling.decision === "confirm" && recorded !== args
  return {
    tool,
    options,
    state: CommandState.unrecorded(openedBy),
    request: { commandId: newId(), actuator, args: recorded, argsDigest: digest(args), priority: 0 },
    judgement: isUnseen ? { ...ruling, ...NOT_SHOWN, decision: "deny" } : ruling,
  }
}

/**
 * Records a call up to its dispatch. Answers whether it was recorded, which it is not if the log has failed. One that the gate or a
 * person refuses is denied.
 */
const dispatched = async (parts: ToolParts, call: Call): Promise<boolean> => {
  const exit = await Effect.runPromiseExit(Interpreter.travel([call], waysOf(parts)))
  if (Exit.isSuccess(exit)) return call.state.at === "dispatched"
  const failure = Cause.squash(exit.cause)
  if (failure instanceof NotRecorded) return false
  throw failure
}

/** The log has failed, and the run goes on. */
class NotRecorded extends Data.TaggedError("NotRecorded") {}

type Told = Parameters<RunLog["append"]>[0]

/** How a run records its calls: a call is dispatched in the commit in which it is allowed, which is on the disk before the function is called. */
type Ways = Interpreter.Ways<Call, CommandState.CommandEvent, unknown>

const waysOf = ({ log, ask }: ToolParts): Ways => {
  const append = (events: Told, options: Parameters<RunLog["append"]>[1]) => promised(() => log.append(events, options))
  return {
    // What is denied is denied, also where the log has failed.
    record: (events) =>
      Effect.flatMap(append(events, {}), (isRecorded) =>
        isRecorded || events.at(-1)?.type === "CommandDenied" ? Effect.succeed(events) : new NotRecorded(),
      ),
    ask: (call) =>
      Effect.flatMap(
        promised(() => log.attempt(() => ask(questionOf(log.taskId, call)))),
        (answer) => (answer === undefined ? new NotRecorded() : Effect.succeed(answer)),
      ),
    withdraw: () => Effect.void,
    ended: (call, step) => {
      if (step.do === "deny") call.denied = { rule: step.rule, reason: step.reason }
      if (step.do === "expire") call.denied = { rule: "expired", reason: CommandState.EXPIRED }
    },
    carryOut: (calls, ledger) => {
      const dispatches = calls.map((call) => Interpreter.entryOf(call, ledger.ahead(call), { do: "dispatch" }))
      const entries = [...ledger.entries(), ...dispatches]
      const record: Ways["record"] = (events) =>
        Effect.map(append(events, { begins: true }), (isRecorded) => (isRecorded ? events : []))
      return Interpreter.record(entries, { record, ended: () => {} })
    },
  }
}

const promised = <A>(does: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: does, catch: (failure) => failure })

const failed = ({ request, state }: Call, error: Failure, latencyMs: number): CoreNewEvent => ({
  type: "CommandFailed",
  causationId: state.last,
  payload: { commandId: request.commandId, error, latencyMs },
})

/** What a person is asked. */
const questionOf = (taskId: string, { tool, options, request, judgement, state }: Call): ConfirmationRequest => {
  const { commandId, actuator, argsDigest, args } = request
  const { risk = "undeclared", description = "A function of the recorded program" } = options
  const shown = {
    actuator,
    args,
    risk,
    description,
    plugin: "program",
    pluginDigest: digest({ tool, risk, description }),
  }
  return { taskId, commandId, argsDigest, shown, withinMs: judgement.confirmWithinMs, causationId: state.last }
}
