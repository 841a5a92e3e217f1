/**
 * Tool calls of a gateway's client. Each is a command that passes the gate before it reaches the server. A call that a
 * person has to confirm waits, or is answered with the question; the client then makes the same call again.
 */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { newId } from "../events/vocabulary/Event.ts"
import * as ObservedCommand from "../kernel/acting/command/ObservedCommand.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import * as ToolPins from "../plugins/mcp/ToolPins.ts"
import * as GatedCalls from "../record/GatedCalls.ts"
import type { Redaction } from "../record/http/Redaction.ts"
import type { BegunRun, OpenedLog } from "../record/log/OpenedLog.ts"
import type { RunLog } from "../record/log/RunLog.ts"
import { recordable } from "../record/Recordable.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { asObject } from "../values/JsonObjects.ts"
import * as Answers from "./Answers.ts"
import * as Approval from "./Approval.ts"
import * as Held from "./HeldCall.ts"
import { lookAlike } from "./LookAlikes.ts"
import * as Message from "./Message.ts"
import * as RequestState from "./RequestState.ts"
import type { Tools } from "./Tools.ts"

const CHANGED = "its tool was defined differently when a person approved the call: make the call again"

const same = (a: Json | undefined, b: Json | undefined): boolean => digest(a ?? null) === digest(b ?? null)

export interface CallsParts {
  readonly server: string
  readonly begun: BegunRun
  readonly opened: OpenedLog
  readonly log: RunLog
  /** The log's file, for the command that approves. */
  readonly file: string
  readonly gate: Gate.GateConfig
  readonly tools: Tools
  readonly redaction: Redaction
  /** How long a call waits for a person before it is answered, in milliseconds. */
  readonly waitMs: number
}

/** The fate of a call. */
export type Taken =
  /** The log has its dispatch. */
  | { readonly do: "send"; readonly commandId: string; readonly params: JsonObject }
  | { readonly do: "answer"; readonly result: JsonObject }
  | { readonly do: "refuse"; readonly code: number; readonly reason: string }

export interface Calls {
  /** @param cancelled aborts when the client no longer waits */
  readonly take: (request: Message.Request, cancelled: AbortSignal) => Promise<Taken>
  /** Records the server's response to a call. Returns the client's response, if it differs. */
  readonly ended: (commandId: string, response: JsonObject, latencyMs: number) => Promise<JsonObject | undefined>
  /** Records that the outcome of a sent call is unknown. */
  readonly lost: (commandId: string, reason: string) => Promise<void>
  /**
   * Withdraws waiting calls; calls that the server has not finished have an unknown outcome.
   *
   * @returns the number of such outcomes
   */
  readonly close: () => Promise<number>
}

/** Maximum number of calls that wait for a person. */
const MAX_HELD = 100

/** How long a server waits for the input that it asked for, in milliseconds. */
const INPUT_MS = 60 * 60 * 1000

interface Continuing {
  readonly bound: RequestState.Bound
}

export const make = (parts: CallsParts): Calls => {
  const { server, begun, opened, log, file, gate, tools, redaction, waitMs } = parts
  const state = RequestState.make()
  const policyDigest = digest(JSON.parse(JSON.stringify(Gate.recorded(gate))))
  const held = new Map<string, Held.HeldCall>()
  /** Calls whose server asked for input, by command. */
  const continuing = new Map<string, Continuing>()
  /** Calls at the server, by command. */
  const sent = new Map<string, { readonly last: string; readonly bound: RequestState.Bound }>()
  const approvals = Approval.make({ opened, state })

  const boundOf = ({ params }: Message.Request): RequestState.Bound => ({
    actuator: actuatorOf(server, String(params.name)),
    argsDigest: digest([params.name ?? null, params.arguments ?? null]),
    policyDigest,
  })

  const begin = (request: Message.Request, bound: RequestState.Bound): Held.HeldCall => {
    const { params } = request
    const name = String(params.name)
    const withheld = tools.withheld(name)
    const definition = tools.definition(name)
    const gated = GatedCalls.make(
      { gate: withheld === undefined ? gate : denying("tools-changed", withheld) },
      {
        actuator: bound.actuator,
        args: params.arguments ?? {},
        shown: redaction.value(params.arguments ?? {}),
        cause: begun.openedBy,
        description: Answers.described(server, definition),
        ...defined({ risk: ToolPins.riskOf(definition), callId: Answers.callIdOf(request) }),
      },
    )
    const one = Held.make({
      gated,
      bound,
      ask: begun.ask,
      outdated: () => tools.withheld(name) ?? (same(definition, tools.definition(name)) ? undefined : CHANGED),
      dispatch: (ask) => GatedCalls.dispatched({ log, gate, ask }, gated),
    })
    held.set(one.commandId, one)
    return one
  }

  /** Waits for a call until it is dispatched or denied, the client no longer waits, or its time is up. */
  const settled = async (
    one: Held.HeldCall,
    request: Message.Request,
    cancelled: AbortSignal,
    mayAsk: boolean,
  ): Promise<Taken> => {
    const end = await one.claim({ waitMs, cancelled, untilAsked: mayAsk && Message.takesQuestions(request) })
    switch (end.kind) {
      case "asked": {
        const question = approvals.question(end.requested, { commandId: one.commandId, ...one.bound })
        // Too long to be shown there: it waits for a person elsewhere.
        return question === undefined
          ? settled(one, request, cancelled, false)
          : ({ do: "answer", result: question } as const)
      }
      case "waits":
        return { do: "answer", result: Answers.waiting(one.bound.actuator, end.requested, file) } as const
      case "cancelled":
        await withdrawn(one, "the client cancelled the call")
        return { do: "answer", result: Message.refusedResult("The call was cancelled, and not sent.") } as const
      case "dispatched": {
        held.delete(one.commandId)
        sent.set(one.commandId, { last: one.gated.state.last, bound: one.bound })
        return { do: "send", commandId: one.commandId, params: Answers.withoutAnswers(request.params) } as const
      }
      case "denied": {
        held.delete(one.commandId)
        const { denied } = one.gated
        return denied === undefined
          ? refused(Message.CODES.internal, "the log failed, and with it the gate: nothing was sent")
          : ({ do: "answer", result: Answers.denied(one.bound.actuator, denied) } as const)
      }
    }
  }

  const withdrawn = async (one: Held.HeldCall, reason: string): Promise<void> => {
    const requested = one.requested()
    held.delete(one.commandId)
    one.release()
    if (requested !== undefined) await begun.withdraw(requested, reason)
  }

  /** A call that the client repeats, with the state of its first answer. */
  const repeated = async (request: Message.Request, text: Json, cancelled: AbortSignal): Promise<Taken> => {
    const bound = boundOf(request)
    const verified =
      typeof text === "string"
        ? state.verify(text, bound, Date.now())
        : { ok: false as const, reason: "it is not a text" }
    if (!verified.ok) return refusedState(request, verified.reason)
    const { commandId, purpose, serverState } = verified.state
    if (purpose === "answer") {
      const known = continuing.get(commandId)
      if (known === undefined) return refusedState(request, "the server no longer waits for it")
      continuing.delete(commandId)
      await keep("repeated call", { commandId, inputResponses: request.params.inputResponses ?? null })
      sent.set(commandId, { last: sent.get(commandId)?.last ?? begun.openedBy, bound })
      return { do: "send", commandId, params: Answers.withServerState(request.params, serverState) }
    }
    const one = held.get(commandId)
    if (one === undefined) return refusedState(request, "its question has ended, or was answered before")
    await approvals.decide(one.requested(), request)
    // The call has one result, and one request gets it. Nothing may wait between this and the claim.
    if (!one.isFree()) return refusedState(request, "another request already waits for its result")
    return settled(one, request, cancelled, false)
  }

  const refusedState = async (request: Message.Request, reason: string): Promise<Taken> => {
    await keep("requestState refused", { tool: request.params.name ?? null, reason })
    return refused(
      Message.CODES.params,
      `requestState: ${reason}. Nothing was sent to the server; make the call again without it.`,
    )
  }

  const keep = (kind: string, record: JsonObject) =>
    log.tell({ type: "SourceRecordKept", payload: { source: server, kind, record: held_(record) } })
  const held_ = (value: Json): Json => recordable<Json>(redaction.value(value), (omitted) => omitted)

  const lost = async (commandId: string, reason: string): Promise<void> => {
    const known = sent.get(commandId)
    sent.delete(commandId)
    if (known === undefined) return
    await log.tell({ ...ObservedCommand.unknown(commandId, reason), causationId: known.last })
  }

  const forgotten = (commandId: string): Promise<void> => {
    continuing.delete(commandId)
    return lost(commandId, "its client did not answer the server's questions, and others came after it")
  }

  return {
    take: async (request, cancelled) => {
      const { name, requestState } = request.params
      if (typeof name !== "string" || name.length > MAX_NAME) {
        const found = typeof name === "string" ? `one of ${name.length}` : "none"
        return refused(
          Message.CODES.params,
          `expected the name of a tool, of at most ${MAX_NAME} characters, found ${found}`,
        )
      }
      if (request.replaced !== undefined) {
        return refused(
          Message.CODES.params,
          `expected complete characters and finite numbers, found ${request.replaced}: the tool would get something else`,
        )
      }
      const like =
        lookAlike(request.params, PARAMS) ?? lookAlike(asObject(request.params.arguments), tools.argumentsOf(name))
      if (like !== undefined) {
        return refused(
          Message.CODES.params,
          `${JSON.stringify(like)} differs only in case from a name that the tool knows: the server could read it as that one`,
        )
      }
      if (Message.hasInexactNumber(request.params.arguments ?? null)) {
        return refused(
          Message.CODES.params,
          "the arguments have a whole number beyond 2^53, which the gate cannot judge exactly: pass it as a text",
        )
      }
      if (requestState !== undefined) return repeated(request, requestState, cancelled)
      const now = Date.now()
      for (const one of [...held.values()]) if (one.isOver(now)) held.delete(one.commandId)
      const bound = boundOf(request)
      const same = [...held.values()].find((one) => one.bound.argsDigest === bound.argsDigest && one.isFree())
      if (same === undefined && held.size >= MAX_HELD) {
        return refused(Message.CODES.server, `${MAX_HELD} calls wait for a person already: decide about some first`)
      }
      return settled(same ?? begin(request, bound), request, cancelled, true)
    },
    ended: async (commandId, response, latencyMs) => {
      const known = sent.get(commandId)
      const result = asObject(response.result)
      if (known !== undefined && result.resultType === "input_required") {
        const [oldest] = continuing.size >= MAX_HELD ? continuing.keys() : []
        if (oldest !== undefined) await forgotten(oldest)
        continuing.set(commandId, { bound: known.bound })
        await keep("input required", { commandId, result })
        const expiresAt = Date.now() + INPUT_MS
        const serverState = typeof result.requestState === "string" ? result.requestState : undefined
        const signed = state.sign({
          purpose: "answer",
          commandId,
          ...known.bound,
          expiresAt,
          ...defined({ serverState }),
        })
        return { ...response, result: { ...result, requestState: signed } }
      }
      sent.delete(commandId)
      const isOk = response.error === undefined && result.isError !== true
      const content = held_(isOk ? (response.result ?? null) : Answers.failureOf(response))
      const end = ObservedCommand.ended(commandId, { ok: isOk, content, latencyMs, by: undefined })
      const kept: CoreNewEvent = {
        type: "SourceRecordKept",
        payload: { source: server, kind: Answers.FAILED, record: held_({ commandId, ...Answers.outcomeOf(response) }) },
      }
      const id = newId()
      const causationId = known?.last ?? begun.openedBy
      if (isOk) await log.tell({ ...end, causationId })
      else await log.tell({ ...end, id, causationId }, { ...kept, causationId: id })
      return undefined
    },
    lost,
    close: async () => {
      for (const one of held.values()) await withdrawn(one, "the session with the client ended")
      for (const [commandId, { last }] of sent) {
        await log.tell({ ...ObservedCommand.unknown(commandId, UNFINISHED), causationId: last })
      }
      const left = sent.size
      sent.clear()
      return left
    },
  }
}

/** Maximum length of a tool's name, in characters. */
const MAX_NAME = 1_000

/** Parameters of a call. */
const PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta", "requestState", "inputResponses", "task"])

const UNFINISHED = "the session ended before the server answered"

const refused = (code: number, reason: string): Taken => ({ do: "refuse", code, reason })

const denying = (name: string, reason: string): Gate.GateConfig => ({ rules: [{ name, decision: "deny", reason }] })

/** The full name of a server's tool, as rules match it. */
export const actuatorOf = (server: string, tool: string): string => `${server}/${ToolPins.slug(tool)}`
