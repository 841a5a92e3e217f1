/** The confirming section of a task's audit: confirmations by people, and commands that were allowed without one. */

import { Schema } from "effect"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"
import { isLate } from "../state/ConfirmationAnswer.ts"
import * as Samples from "./Samples.ts"

const counts = {
  requested: Schema.NonNegativeInt.annotations({
    description: "Commands and requests to the host that needed a person's confirmation",
  }),
  approved: Schema.NonNegativeInt,
  rejected: Schema.NonNegativeInt,
  expired: Schema.NonNegativeInt.annotations({ description: "Confirmations without a decision in time" }),
  automatic: Schema.NonNegativeInt.annotations({ description: "Commands that a gate rule allowed without a person" }),
}

/** The confirmations of a task. */
export const Confirming = Schema.Struct({
  ...counts,
  medianWaitMs: Schema.NullOr(Schema.Finite).annotations({
    description: "Median time from request to decision, ms; null without a decision",
  }),
}).annotations({ identifier: "Confirming" })

type Confirming = typeof Confirming.Type

const State = Schema.Struct({
  ...counts,
  waits: Samples.Samples,
  /** Ids of commands for which a confirmation was requested and that the gate has not allowed. */
  asked: Schema.Record({ key: Schema.String, value: Schema.Literal(true) }),
  /** Pending confirmations by id, with the times of request and expiry. */
  waiting: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ requestedAt: Schema.Finite, expiresAt: Schema.Finite }),
  }),
})
type State = typeof State.Type

export const projection: Projection<State> = {
  name: "TaskAudit.Confirming",
  version: 2,
  state: State,
  initial: {
    requested: 0,
    approved: 0,
    rejected: 0,
    expired: 0,
    automatic: 0,
    waits: Samples.none,
    asked: {},
    waiting: {},
  },
  evolve: evolveBy<State>({
    ConfirmationRequested: (state, { confirmationId, commandId, expiresAt }, { recordedAt }) => ({
      ...state,
      requested: state.requested + 1,
      asked: commandId === undefined ? state.asked : SafeRecord.set(state.asked, commandId, true),
      waiting: SafeRecord.set(state.waiting, confirmationId, { requestedAt: recordedAt, expiresAt }),
    }),
    ConfirmationDecided: (state, { confirmationId, approved, waitedMs }, { recordedAt }) => {
      const request = SafeRecord.get(state.waiting, confirmationId)
      // An approval that came too late does not count. The event of its expiry follows.
      if (approved && request !== undefined && isLate(request, recordedAt)) return state
      return {
        ...state,
        approved: state.approved + (approved ? 1 : 0),
        rejected: state.rejected + (approved ? 0 : 1),
        waits: waitedMs === undefined ? state.waits : Samples.add(state.waits, waitedMs),
        waiting: SafeRecord.remove(state.waiting, confirmationId),
      }
    },
    ConfirmationExpired: (state, { confirmationId }) => ({
      ...state,
      expired: state.expired + 1,
      waiting: SafeRecord.remove(state.waiting, confirmationId),
    }),
    ConfirmationWithdrawn: (state, { confirmationId }) => {
      const waiting = SafeRecord.remove(state.waiting, confirmationId)
      return waiting === state.waiting ? state : { ...state, waiting }
    },
    CommandAllowed: (state, { commandId }) =>
      SafeRecord.get(state.asked, commandId) === undefined
        ? { ...state, automatic: state.automatic + 1 }
        : { ...state, asked: SafeRecord.remove(state.asked, commandId) },
  }),
}

export const section = ({ waits, asked: _asked, waiting: _waiting, ...counted }: State): Confirming => ({
  ...counted,
  medianWaitMs: Samples.median(waits),
})
