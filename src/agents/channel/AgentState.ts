/** An agent's activity as front ends show it: a pure fold over the events of its task, never logged. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * - `thinking`: decides, or waits for its model
 * - `executing_tool`: a command is in progress
 * - `waiting_for_confirmation`: a command or host request waits for a person
 * - `ready`: waits for an input
 * - `done`: its task is closed
 */
export type AgentState = "ready" | "thinking" | "executing_tool" | "waiting_for_confirmation" | "done"

export interface Activity {
  readonly isClosed: boolean
  /** Whether its last decision was to wait, and no input arrived since. */
  readonly waits: boolean
  /** Whether its last decision included a message that was not sent yet. */
  readonly speaks: boolean
  readonly inputs: ReadonlySet<number>
  readonly commands: ReadonlySet<string>
  readonly questions: ReadonlySet<string>
}

export const initial: Activity = {
  isClosed: false,
  waits: false,
  speaks: false,
  inputs: new Set(),
  commands: new Set(),
  questions: new Set(),
}

export const stateOf = ({ isClosed, waits, speaks, inputs, commands, questions }: Activity): AgentState => {
  if (isClosed) return "done"
  if (questions.size > 0) return "waiting_for_confirmation"
  if (commands.size > 0) return "executing_tool"
  return waits && !speaks && inputs.size === 0 ? "ready" : "thinking"
}

export const evolve = (activity: Activity, event: Event): Activity => {
  if (is(event, "TaskClosed")) return { ...activity, isClosed: true }
  if (is(event, "TimelineForked")) return event.payload.overrides.fresh === true ? initial : activity
  if (is(event, "DecisionMade")) {
    const { waits, say } = event.payload.choice
    return { ...activity, waits: waits === "input", speaks: say !== undefined }
  }
  if (is(event, "MessageSent")) return { ...activity, speaks: false }
  if (is(event, "InputReceived")) return { ...activity, inputs: changed(activity.inputs, event.position, true) }
  if (is(event, "InputDelivered")) {
    const { inputs } = event.payload
    return { ...activity, waits: false, inputs: new Set([...activity.inputs].filter((one) => !inputs.includes(one))) }
  }
  const { commandId, confirmationId } = event.payload
  if (typeof confirmationId === "string") {
    const questions = changed(activity.questions, confirmationId, is(event, "ConfirmationRequested"))
    return { ...activity, questions }
  }
  if (is(event, "ActuatorCommanded")) {
    return { ...activity, commands: changed(activity.commands, event.payload.commandId, true) }
  }
  return typeof commandId === "string" && ENDS.has(event.type)
    ? { ...activity, commands: changed(activity.commands, commandId, false) }
    : activity
}

export const of = (events: ReadonlyArray<Event>): AgentState => stateOf(events.reduce(evolve, initial))

export const ENDS: ReadonlySet<string> = new Set([
  ...["CommandDenied", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"],
])

const changed = <Member>(members: ReadonlySet<Member>, member: Member, isIn: boolean): ReadonlySet<Member> => {
  if (members.has(member) === isIn) return members
  return new Set(isIn ? [...members, member] : [...members].filter((one) => one !== member))
}
