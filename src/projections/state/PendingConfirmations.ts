/** The projection of confirmations that wait for a person's decision. */

import { Schema } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"
import { confirmationOf } from "./ConfirmationAnswer.ts"

/** A command or host request that waits for a person's decision. */
export const PendingConfirmation = Schema.Struct({
  commandId: optional(Schema.String),
  requestId: optional(Schema.String),
  argsDigest: Schema.String.annotations({ description: "Digest of the arguments that a decision must be about" }),
  shown: JsonObject.annotations({ description: "What the person is shown: all of what is asked, and its risk" }),
  shownDigest: optional(Schema.String).annotations({
    description: "Digest of all that is asked; absent where an earlier version of Hindcast asked",
  }),
  securityWarning: optional(Json),
  requestedAt: EpochMs,
  expiresAt: EpochMs,
  position: Position.annotations({ description: "Of the request" }),
  taskId: Schema.NullOr(Schema.String),
  timeline: optional(Schema.String).annotations({ description: "Absent on main" }),
}).annotations({ identifier: "PendingConfirmation" })

export type PendingConfirmation = typeof PendingConfirmation.Type

/** The pending confirmations by id, oldest first. */
export const PendingConfirmations = Schema.Record({ key: Schema.String, value: PendingConfirmation }).annotations({
  identifier: "PendingConfirmations",
})

export type PendingConfirmations = typeof PendingConfirmations.Type

/**
 * The pending confirmations. A request is the first event of its stream, `confirmation/<id>`. The next event of the
 * stream settles it, of any type, because the requester reads no further. Events in other streams do not count.
 */
export const projection: Projection<PendingConfirmations> = {
  name: "PendingConfirmations",
  version: 2,
  state: PendingConfirmations,
  initial: {},
  evolve: (state, event) => {
    const id = confirmationOf(event.stream)
    if (id === undefined) return state
    if (SafeRecord.get(state, id) !== undefined) return SafeRecord.remove(state, id)
    const isRequest = is(event, "ConfirmationRequested") && event.version === 1 && event.payload.confirmationId === id
    return isRequest ? SafeRecord.set(state, id, pendingFrom(event, event.payload)) : state
  },
}

/** The events that request and settle a confirmation. */
export const ASKING: ReadonlyArray<CoreName> = [
  "ConfirmationRequested",
  "ConfirmationDecided",
  "ConfirmationExpired",
  "ConfirmationWithdrawn",
]

/**
 * The confirmations that no event of these types has settled, folded from these types alone. An event of another type
 * may have settled one of them: before listing it as pending, check its stream for a second event.
 */
export const asked: Projection<PendingConfirmations> = {
  name: "AskedConfirmations",
  version: 1,
  state: PendingConfirmations,
  initial: {},
  types: ASKING,
  evolve: (state, event) => (ASKING.some((type) => type === event.type) ? projection.evolve(state, event) : state),
}

const pendingFrom = (event: Event, request: PayloadOf<"ConfirmationRequested">): PendingConfirmation => {
  const { commandId, requestId, argsDigest, shown, shownDigest, securityWarning, expiresAt } = request
  return {
    ...defined({ commandId, requestId }),
    argsDigest,
    shown,
    ...defined({ shownDigest, securityWarning }),
    requestedAt: event.recordedAt,
    expiresAt,
    position: event.position,
    taskId: event.taskId,
    ...(event.timeline === MAIN ? {} : { timeline: event.timeline }),
  }
}
