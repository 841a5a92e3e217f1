/** The ends of calls whose client no longer waits, and of sessions. Pure. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import * as CommandState from "../kernel/acting/CommandState.ts"
import * as ObservedCommand from "../kernel/acting/command/ObservedCommand.ts"
import type { RequestedEvent } from "../kernel/gate/ConfirmationRequests.ts"

/** Why a question about a call ends without an answer. Its tool must not run on a later approval. */
export const NOBODY_WAITS = "its client no longer waits for the answer"

/** The rule of calls that an earlier server left undispatched. */
const RECOVERY = "recovery"

export const NOT_TOLD = "no hook told its result: its client may have refused it afterwards"

export interface Undispatched {
  readonly commandIds: ReadonlyArray<string>
  readonly questions: ReadonlyArray<RequestedEvent>
  readonly denials: ReadonlyArray<CoreNewEvent>
}

/** Calls that an earlier server left before their dispatch: it never answered their client. */
export const undispatched = (past: ReadonlyArray<Event>): Undispatched => {
  // An import's calls were not asked about.
  const observed = ObservedCommand.idsIn(past)
  const left = [...CommandState.fold(past)].filter(
    ([commandId, { at }]) => !observed.has(commandId) && (at === "requested" || at === "asked" || at === "allowed"),
  )
  return {
    commandIds: left.map(([commandId]) => commandId),
    questions: left.flatMap(([, { question }]) => (question === undefined ? [] : [question])),
    denials: left.map(([commandId, { last }]) => ({
      type: "CommandDenied",
      causationId: last,
      payload: { commandId, rule: RECOVERY, reason: `${NOBODY_WAITS}: the hook server ended before it answered` },
    })),
  }
}

/** Ids of commands that were refused when nobody waited for the answer: the client may have run them all the same. */
export const refusedUnheard = (past: ReadonlyArray<Event>): ReadonlyArray<string> =>
  past.flatMap((event) =>
    is(event, "CommandDenied") && event.payload.reason.startsWith(NOBODY_WAITS) ? [event.payload.commandId] : [],
  )

/** A call that runs, and the event that causes its end. */
export interface Running {
  readonly commandId: string
  readonly last: string
}

export const running = (past: ReadonlyArray<Event>): ReadonlyArray<Running> =>
  [...CommandState.fold(past)].flatMap(([commandId, { at, last }]) =>
    at === "dispatched" ? [{ commandId, last }] : [],
  )

/** Closes a session's task: nobody knows how the calls ended that still run. */
export const closing = (left: ReadonlyArray<Running>, reason: string) => {
  const ends = left.map(
    ({ commandId, last }): CoreNewEvent => ({ ...ObservedCommand.unknown(commandId, NOT_TOLD), causationId: last }),
  )
  const ended =
    ends.length > 0 ? { outcome: "abandoned" as const } : { outcome: "achieved" as const, unjudged: true as const }
  const closed: CoreNewEvent = { type: "TaskClosed", payload: { ...ended, reason } }
  const [first = closed, ...others] = [...ends, closed]
  return [first, ...others] as const
}
