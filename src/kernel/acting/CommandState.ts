/**
 * A command as a state machine: where it stands is a fold of its own events, and `next` says the one thing that comes
 * next there. Pure: whoever carries out commands does what `next` says and records it as `eventOf` has it. The table is in this folder's
 * README.
 */

import type { CoreNewEvent } from "../../events/log/AppendRequest.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { plainText } from "../../values/Json.ts"
import type { ConfirmationResult, RequestedEvent } from "../gate/ConfirmationRequests.ts"
import type * as Gate from "../gate/Gate.ts"

/** Where a command stands. */
export interface CommandState {
  /**
   * - `new`: nothing of it is recorded
   * - `requested`: nobody has ruled on it
   * - `asked`: a person was asked about it
   * - `answered`: the person has answered, or the time was up
   * - `allowed`: it may be dispatched
   * - `dispatched`: it has left the kernel
   * - `doubtful`: it has left a kernel that has ended, so that it may have taken effect
   * - `ended`: it has its one outcome, or was denied
   */
  readonly at: "new" | "requested" | "asked" | "answered" | "allowed" | "dispatched" | "doubtful" | "ended"
  /** The id of its latest event, which causes the next one. Of a new command: of what causes its request. */
  readonly last: string
  /** The id and the position of its request; of a new command empty and 0. */
  readonly requested: string
  readonly commandedAt: number
  /** The version of its task's stream up to which nothing has ended it. */
  readonly version: number
  /** The rule by which it was allowed last. */
  readonly rule?: string | undefined
  /** The question about it that an earlier kernel asked a person. */
  readonly question?: RequestedEvent | undefined
  /** How the question about it ended that this kernel awaited. */
  readonly answer?: ConfirmationResult | undefined
}

/** A command of which nothing is recorded. */
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

/** What the fold looks at. An event that is not recorded yet has neither position nor version. */
export type CommandEvent = Pick<Event, "id" | "type" | "payload"> & Partial<Pick<Event, "position" | "version">>

/** The events that end a command. */
export const ENDS = ["CommandDenied", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"] as const

/** Whether a type is one of `ENDS`. */
export const isEnd = (type: string): boolean => (ENDS as ReadonlyArray<string>).includes(type)

/** The state after one more of a command's own events. One that has ended never changes. */
export const evolve = (state: CommandState, event: CommandEvent): CommandState => {
  if (state.at === "ended") return state
  const { id, position = state.commandedAt, version = state.version } = event
  switch (event.type) {
    case "ActuatorCommanded":
      return state.at === "new"
        ? { ...moved(state, "requested", id, version), requested: id, commandedAt: position }
        : state
    case "ConfirmationRequested":
      // The version is that of the question's own stream.
      return { ...moved(state, "asked", id, state.version), question: event as RequestedEvent, answer: undefined }
    case "CommandAllowed":
      return moved(state, "allowed", id, version, String(event.payload.rule))
    case "CommandDispatched":
      return moved(state, "dispatched", id, version)
    default:
      return isEnd(event.type) ? moved(state, "ended", id, version) : state
  }
}

/** Every state has the same fields in the same order: several are made for each command. */
const moved = (
  { requested, commandedAt, question, answer, rule: ruledBy }: CommandState,
  at: CommandState["at"],
  last: string,
  version: number,
  rule = ruledBy,
): CommandState => ({ at, last, requested, commandedAt, version, rule, question, answer })

/** The state after the answer to the question about a command. */
export const answered = (state: CommandState, answer: ConfirmationResult): CommandState => ({
  ...state,
  at: "answered",
  last: answer.event.id,
  answer,
})

/**
 * The state in which a kernel takes up a command that another one left. One that it dispatched is in doubt. A question that it asked
 * still stands: its answer counts for the kernel that dispatches the command, which allows it itself.
 */
export const takenUp = (state: CommandState): CommandState => {
  if (state.at === "dispatched") return { ...state, at: "doubtful" }
  return state.question !== undefined && state.at === "allowed" ? { ...state, at: "asked" } : state
}

/** The state of a command whose end is known, though it is not its latest event. */
export const ended = (state: CommandState): CommandState => ({ ...state, at: "ended" })

/** The state of a command whose dispatch is recorded, and which is not called. */
export const uncalled = (state: CommandState): CommandState => ({ ...state, at: "allowed" })

/** Whether a command may have taken effect. */
export const hasLeft = ({ at }: CommandState): boolean => at === "dispatched" || at === "doubtful"

/** The state as if nobody had been asked about the command. */
export const unasked = ({ question, ...state }: CommandState): CommandState => {
  if (question === undefined) return state
  return { ...state, at: state.at === "dispatched" ? "dispatched" : "requested", last: state.requested }
}

/** Whether a command that may be dispatched may so by the word of a person. */
export const isApproved = ({ question, answer }: CommandState): boolean =>
  question !== undefined || answer !== undefined

/** What was judged about a command: the ruling of the gate, or why the gate was not asked. */
export interface Judgement extends Gate.Ruling {
  /** Whether it may be dispatched again although it may have taken effect. Default: no. */
  readonly isRepeatable?: boolean
}

/** What comes next. */
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

/** The one thing that comes next. */
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

/** Only an explicit `allow`, or a person's approval after `confirm`, leads to a dispatch. */
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

/** The rule of a denial for want of a decision: `Gate.INVALID_GATE_RULE`. */
const NO_DECISION: typeof Gate.INVALID_GATE_RULE = "gate"

/** The reason for denying a command after an unknown decision. The compiler excludes it; a cast or a defect could still cause it. */
const unexpected = (expected: string, found: undefined): string =>
  `expected ${expected}, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

/** What ends a command instead of its dispatch, for a reason that came up on the way. One in doubt ends as unknown. */
export const refusal = ({ at }: CommandState, rule: string, reason: string): Step =>
  at === "doubtful" ? { do: "doubt" } : { do: "deny", rule, reason }

/** Why a command expired. */
export const EXPIRED = "nobody decided in time"

/** What the event of a step says beyond the step. */
interface Recorded {
  readonly id: string
  /** What the command's request says. */
  readonly request: PayloadOf<"ActuatorCommanded">
  /** Why its actuator, which was asked, could not tell what became of it. */
  readonly doubt?: string | undefined
}

/** The event that records a step; undefined if the step is none that is recorded as it is taken. */
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

/** The states of the commands in a task's events, by their ids, in the order of their requests. */
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
