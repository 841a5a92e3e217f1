/**
 * The state machine of a command: `evolve` folds its events, `next` returns the next step, and `eventOf` the event that
 * records it. The README of this folder has the table.
 */

import type { CoreNewEvent } from "../../events/log/AppendRequest.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import type { ConfirmationResult, RequestedEvent } from "../gate/ConfirmationRequests.ts"
import type * as Gate from "../gate/Gate.ts"

export interface CommandState {
  /**
   * - `new`: the log contains nothing of it
   * - `requested`: awaits a ruling
   * - `asked`: a person was asked
   * - `answered`: the person answered, or the time ran out
   * - `allowed`: may be dispatched
   * - `dispatched`: has left the kernel
   * - `doubtful`: left a kernel that has ended, and may have taken effect
   * - `ended`: has its outcome, or was denied
   */
  readonly at: "new" | "requested" | "asked" | "answered" | "allowed" | "dispatched" | "doubtful" | "ended"
  /** The id of its latest event; at first, of the event that causes its request. */
  readonly last: string
  readonly requested: string
  readonly commandedAt: number
  /** The version of the task's stream up to which nothing has ended it. */
  readonly version: number
  readonly rule?: string | undefined
  readonly question?: RequestedEvent | undefined
  readonly answer?: ConfirmationResult | undefined
}

export const unrecorded = (causationId: string): CommandState => ({
  at: "new",
  last: causationId,
  requested: "",
  commandedAt: 0,
  version: 0,
  rule: undefined,
  question: undefined,
  answer: undefined,
})

/** The part of an event that the fold reads. Unrecorded events have no position or version. */
export type CommandEvent = Pick<Event, "id" | "type" | "payload"> & Partial<Pick<Event, "position" | "version">>

export const ENDS = ["CommandDenied", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"] as const

export const isEnd = (type: string): boolean => (ENDS as ReadonlyArray<string>).includes(type)

export const evolve = (state: CommandState, event: CommandEvent): CommandState => {
  if (state.at === "ended") return state
  const { id, position = state.commandedAt, version = state.version } = event
  switch (event.type) {
    case "ActuatorCommanded":
      return state.at === "new"
        ? { ...moved(state, "requested", id, version), requested: id, commandedAt: position }
        : state
    case "ConfirmationRequested":
      // `event.version` belongs to the question's own stream.
      return { ...moved(state, "asked", id, state.version), question: event as RequestedEvent, answer: undefined }
    case "CommandAllowed":
      return moved(state, "allowed", id, version, String(event.payload.rule))
    case "CommandDispatched":
      return moved(state, "dispatched", id, version)
    case "CommandAttemptFailed":
      return moved(state, state.at, id, version)
    default:
      return isEnd(event.type) ? moved(state, "ended", id, version) : state
  }
}

/** All states have the same fields in the same order, which V8 rewards: each command creates several. */
const moved = (
  { requested, commandedAt, question, answer, rule: ruledBy }: CommandState,
  at: CommandState["at"],
  last: string,
  version: number,
  rule = ruledBy,
): CommandState => ({ at, last, requested, commandedAt, version, rule, question, answer })

export const answered = (state: CommandState, answer: ConfirmationResult): CommandState => ({
  ...state,
  at: "answered",
  last: answer.event.id,
  answer,
})

/**
 * The state in which a kernel takes over another kernel's command. A question stands even after its answer: the kernel
 * that dispatches checks the answer itself.
 */
export const takenUp = (state: CommandState): CommandState => {
  if (state.at === "dispatched") return { ...state, at: "doubtful" }
  return state.question !== undefined && state.at === "allowed" ? { ...state, at: "asked" } : state
}

export const ended = (state: CommandState): CommandState => ({ ...state, at: "ended" })

/** Takes back a recorded dispatch that was never followed by a call. */
export const uncalled = (state: CommandState): CommandState => ({ ...state, at: "allowed" })

/** Whether a command may have taken effect. */
export const hasLeft = ({ at }: CommandState): boolean => at === "dispatched" || at === "doubtful"

/** Drops the question about a command. */
export const unasked = ({ question, ...state }: CommandState): CommandState => {
  if (question === undefined) return state
  return { ...state, at: state.at === "dispatched" ? "dispatched" : "requested", last: state.requested }
}

/** Whether an allowed command owes its allowance to a person. */
export const isApproved = ({ question, answer }: CommandState): boolean =>
  question !== undefined || answer !== undefined

/** The gate's ruling, or a denial that needed no gate. */
export interface Judgement extends Gate.Ruling {
  /** Whether a second dispatch is safe although the first may have taken effect. Default: no. */
  readonly isRepeatable?: boolean
}

export type Step =
  | { readonly do: "request" }
  | { readonly do: "ask" }
  | { readonly do: "allow"; readonly rule: string }
  | { readonly do: "deny"; readonly rule: string; readonly reason: string }
  | { readonly do: "expire"; readonly rule: string }
  /** `round`: the id of the first of several commands that reach a world together. */
  | { readonly do: "dispatch"; readonly round?: string }
  | { readonly do: "call" }
  | { readonly do: "doubt" }
  | { readonly do: "nothing" }

export const next = (state: CommandState, judgement: Judgement): Step => {
  const { decision, rule, isRepeatable = false } = judgement
  switch (state.at) {
    case "new":
      return { do: "request" }
    case "requested":
      return judged(judgement)
    case "asked": {
      const judgedNow = judged(judgement)
      return judgedNow.do === "allow" ? { do: "ask" } : judgedNow
    }
    case "answered":
      return afterAnswer(state.answer, rule)
    case "allowed":
      return isApproved(state) || (decision === "allow" && rule === state.rule) ? { do: "dispatch" } : judged(judgement)
    case "dispatched":
      return { do: "call" }
    case "doubtful": {
      const isAllowed = decision === "allow" || (decision === "confirm" && isApproved(state))
      return isAllowed && isRepeatable ? { do: "dispatch" } : { do: "doubt" }
    }
    case "ended":
      return { do: "nothing" }
  }
}

/** Fails closed: only an explicit `allow`, or a person's approval after `confirm`, leads to a dispatch. */
const judged = ({ decision, rule, reason }: Judgement): Step => {
  switch (decision) {
    case "allow":
      return { do: "allow", rule }
    case "confirm":
      return { do: "ask" }
    case "deny":
      return { do: "deny", rule, reason }
    default:
      return { do: "deny", rule: NO_DECISION, reason: unexpected("allow, deny or confirm", decision) }
  }
}

const afterAnswer = (answer: ConfirmationResult | undefined, rule: string): Step => {
  switch (answer?.kind) {
    case "approved":
      return { do: "allow", rule }
    case "rejected":
      return { do: "deny", rule, reason: answer.reason }
    case "expired":
      return { do: "expire", rule }
    default:
      return { do: "deny", rule: NO_DECISION, reason: unexpected("approved, rejected or expired", answer) }
  }
}

const NO_DECISION: typeof Gate.INVALID_GATE_RULE = "gate"

const unexpected = (expected: string, found: undefined): string =>
  `expected ${expected}, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

/** Ends a command instead of dispatching it. A command in doubt ends as unknown. */
export const refusal = ({ at }: CommandState, rule: string, reason: string): Step =>
  at === "doubtful" ? { do: "doubt" } : { do: "deny", rule, reason }

export const EXPIRED = "nobody decided in time"

interface Recorded {
  readonly id: string
  readonly request: PayloadOf<"ActuatorCommanded">
  /** Why its actuator could not say how the command ended. */
  readonly doubt?: string | undefined
}

export const eventOf = (
  { last: causationId }: CommandState,
  step: Step,
  { id, request, doubt }: Recorded,
): (CoreNewEvent & { readonly id: string }) | undefined => {
  const { commandId } = request
  switch (step.do) {
    case "request":
      return { type: "ActuatorCommanded", id, causationId, payload: request }
    case "allow":
      return { type: "CommandAllowed", id, causationId, payload: { commandId, rule: step.rule } }
    case "deny":
      return {
        type: "CommandDenied",
        id,
        causationId,
        payload: { commandId, rule: step.rule, reason: plainText(step.reason) },
      }
    case "expire":
      return { type: "CommandDenied", id, causationId, payload: { commandId, rule: step.rule, reason: EXPIRED } }
    case "dispatch": {
      const payload = { commandId, ...defined({ round: step.round }) }
      return { type: "CommandDispatched", id, causationId, payload }
    }
    case "doubt": {
      const payload = { commandId, ...defined({ reason: doubt }) }
      return { type: "CommandOutcomeUnknown", id, causationId, payload }
    }
    default:
      return undefined
  }
}

export const fold = (events: Iterable<Event>): ReadonlyMap<string, CommandState> => {
  const states = new Map<string, CommandState>()
  for (const event of events) {
    const { commandId } = event.payload
    if (typeof commandId !== "string") continue
    const known = states.get(commandId)
    if (known !== undefined) states.set(commandId, evolve(known, event))
    else if (is(event, "ActuatorCommanded")) states.set(commandId, evolve(unrecorded(event.causationId ?? ""), event))
  }
  return states
}
