/** Calls of a recorded run that pass the gate: each is requested, ruled on, asked about where the gate says so, and dispatched. */

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

/** What calls need. */
export interface GateParts {
  readonly log: RunLog
  /** Without one, every call is allowed. With one, nothing is called that it was not asked about. */
  readonly gate: Gate.GateConfig | undefined
  /** Asks a person. */
  readonly ask: (question: ConfirmationRequest) => Promise<ConfirmationResult>
}

/** What is called. */
export interface Called {
  /** `plugin/actuator` */
  readonly actuator: string
  /** Without keys. */
  readonly args: Json
  /** The event that causes the call. */
  readonly cause: string
  readonly risk?: Risk | undefined
  /** What a person is told that it does. */
  readonly description: string
  /** Default: a new one. */
  readonly commandId?: string | undefined
  /** The model's id of the call. */
  readonly callId?: string | undefined
  readonly agentId?: string | undefined
}

/** A call on its way. */
export interface GatedCall extends Interpreter.Traveller {
  readonly called: Called
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

/** A call with what the gate says to it. Where its arguments are too large for an event, nobody is asked about them. */
export const make = ({ gate }: Pick<GateParts, "gate">, called: Called): GatedCall => {
  const { actuator, args, cause, risk = "undeclared", commandId = newId(), callId, agentId } = called
  const recorded = recordable(args, (omitted) => ({ omitted }))
  const ruling = gate === undefined ? NO_GATE : Gate.decide(gate, { actuator, risk, args })
  const isUnseen = ruling.decision === "confirm" && recorded !== args
  return {
    called,
    state: CommandState.unrecorded(cause),
    request: {
      commandId,
      actuator,
      args: recorded,
      argsDigest: digest(args),
      priority: 0,
      ...defined({ callId, agentId }),
    },
    judgement: isUnseen ? { ...ruling, ...NOT_SHOWN, decision: "deny" } : ruling,
  }
}

/**
 * Records a call up to its dispatch. Answers whether it was recorded, which it is not if the log has failed. One that the gate or a
 * person refuses is denied.
 */
export const dispatched = async (parts: GateParts, call: GatedCall): Promise<boolean> => {
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
type Ways = Interpreter.Ways<GatedCall, CommandState.CommandEvent, unknown>

const waysOf = ({ log, ask }: GateParts): Ways => {
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

/** What a person is asked. */
const questionOf = (taskId: string, { called, request, judgement, state }: GatedCall): ConfirmationRequest => {
  const { commandId, actuator, argsDigest, args } = request
  const { risk = "undeclared", description } = called
  const [plugin = "", tool = ""] = actuator.split("/")
  const shown = { actuator, args, risk, description, plugin, pluginDigest: digest({ tool, risk, description }) }
  return { taskId, commandId, argsDigest, shown, withinMs: judgement.confirmWithinMs, causationId: state.last }
}
