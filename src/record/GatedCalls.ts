/**
 * Takes the tool calls of a recorded run through the gate: request, ruling, confirmation if the gate asks for it,
 * dispatch.
 */

import { Cause, Data, Effect, Exit } from "effect"
import { newId } from "../events/vocabulary/Event.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import * as Interpreter from "../kernel/acting/Interpreter.ts"
import type { ConfirmationRequest, ConfirmationResult } from "../kernel/gate/ConfirmationRequests.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import type { Risk } from "../plugins/manifest/fields.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import type { RunLog } from "./log/RunLog.ts"
import { recordable } from "./Recordable.ts"

export interface GateParts {
  readonly log: RunLog
  /** Without a gate, every call is allowed. */
  readonly gate: Gate.GateConfig | undefined
  readonly ask: (question: ConfirmationRequest) => Promise<ConfirmationResult>
}

export interface Called {
  /** `plugin/actuator` */
  readonly actuator: string
  /** As the tool gets them. The gate judges these: what redaction removes, a call could hide from it. */
  readonly args: Json
  /** Redacted: recorded, and shown to the person who confirms. */
  readonly shown: Json
  /** Id of the event that causes the call. */
  readonly cause: string
  readonly risk?: Risk | undefined
  /** Shown to the person who confirms. */
  readonly description: string
  /** Default: a new id. */
  readonly commandId?: string | undefined
  readonly callId?: string | undefined
  readonly agentId?: string | undefined
}

export interface GatedCall extends Interpreter.ActiveCommand {
  readonly called: Called
  /** Set once the gate or a person refuses. */
  denied?: { readonly rule: string; readonly reason: string }
}

const NO_GATE = { decision: "allow", rule: "recorded", reason: "", confirmWithinMs: 0 } as const

/** Shortened arguments are never confirmed: the function would get more than the person saw. */
const NOT_SHOWN = {
  rule: "too-large",
  reason: "a person would have to confirm it, and its arguments are too large to be shown whole: pass less",
} as const

/** Builds a call with its ruling. Denies a call that needs confirmation if its arguments are too large for an event. */
export const make = ({ gate }: Pick<GateParts, "gate">, called: Called): GatedCall => {
  const { actuator, args, shown, cause, risk = "undeclared", commandId = newId(), callId, agentId } = called
  const recorded = recordable(shown, (omitted) => ({ omitted }))
  const ruling = gate === undefined ? NO_GATE : Gate.decide(gate, { actuator, risk, args })
  const isUnseen = ruling.decision === "confirm" && recorded !== shown
  return {
    called,
    state: CommandState.unrecorded(cause),
    request: {
      commandId,
      actuator,
      args: recorded,
      argsDigest: digest(shown),
      priority: 0,
      ...defined({ callId, agentId }),
    },
    judgement: isUnseen ? { ...ruling, ...NOT_SHOWN, decision: "deny" } : ruling,
  }
}

/**
 * Records a call up to its dispatch, or up to its denial (`call.denied`). Returns false if it was not dispatched: it
 * was denied, or the log failed.
 */
export const dispatched = async (parts: GateParts, call: GatedCall): Promise<boolean> => {
  const exit = await Effect.runPromiseExit(Interpreter.drive([call], waysOf(parts)))
  if (Exit.isSuccess(exit)) return call.state.at === "dispatched"
  const failure = Cause.squash(exit.cause)
  if (failure instanceof NotRecorded) return false
  throw failure
}

/** The log has failed, and the run continues without it. */
class NotRecorded extends Data.TaggedError("NotRecorded") {}

type Told = Parameters<RunLog["append"]>[0]

/** How a run records its calls. A call is dispatched in the commit that allows it, before the function runs. */
type Ways = Interpreter.Ways<GatedCall, CommandState.CommandEvent, unknown>

const waysOf = ({ log, ask }: GateParts): Ways => {
  const append = (events: Told, options: Parameters<RunLog["append"]>[1]) => promised(() => log.append(events, options))
  return {
    // A denial holds even if the log fails to record it.
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

const questionOf = (taskId: string, { called, request, judgement, state }: GatedCall): ConfirmationRequest => {
  const { commandId, actuator, argsDigest, args } = request
  const { risk = "undeclared", description } = called
  const [plugin = "", tool = ""] = actuator.split("/")
  const { rule, reason } = judgement
  const pluginDigest = digest({ tool, risk, description })
  const shown = { actuator, args, risk, description, plugin, pluginDigest, rule, reason }
  return { taskId, commandId, argsDigest, shown, withinMs: judgement.confirmWithinMs, causationId: state.last }
}
