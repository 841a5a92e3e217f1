import { Schema } from "effect"
import { evolveBy } from "../../events/Vocabulary.ts"
import * as Keyed from "../Keyed.ts"
import type { Projection } from "../Projection.ts"
import * as Samples from "./Samples.ts"

const counts = {
  requested: Schema.NonNegativeInt.annotations({ description: "Commands that a person was asked about" }),
  approved: Schema.NonNegativeInt,
  rejected: Schema.NonNegativeInt,
  expired: Schema.NonNegativeInt.annotations({ description: "Nobody decided in time" }),
  automatic: Schema.NonNegativeInt.annotations({ description: "Commands that a gate rule let pass without a person" }),
}

/** What people were asked, and what passed without them. */
export const Confirming = Schema.Struct({
  ...counts,
  medianWaitMs: Schema.NullOr(Schema.Finite).annotations({
    description: "Median time from request to decision, ms; null where nobody decided anything",
  }),
}).annotations({ identifier: "Confirming" })

type Confirming = typeof Confirming.Type

const State = Schema.Struct({
  ...counts,
  waits: Samples.Samples,
  /** Ids of commands that a person was asked about and that the gate has not let pass. */
  asked: Schema.Record({ key: Schema.String, value: Schema.Literal(true) }),
})
type State = typeof State.Type

/** Counts of confirmations, and how long decisions took. */
export const projection: Projection<State> = {
  name: "TaskAudit.Confirming",
  version: 1,
  state: State,
  initial: { requested: 0, approved: 0, rejected: 0, expired: 0, automatic: 0, waits: Samples.none, asked: {} },
  evolve: evolveBy<State>({
    ConfirmationRequested: (state, { commandId }) => ({
      ...state,
      requested: state.requested + 1,
      asked: Keyed.set(state.asked, commandId, true),
    }),
    ConfirmationDecided: (state, { approved, waitedMs }) => ({
      ...state,
      approved: state.approved + (approved ? 1 : 0),
      rejected: state.rejected + (approved ? 0 : 1),
      waits: Samples.add(state.waits, waitedMs),
    }),
    ConfirmationExpired: (state) => ({ ...state, expired: state.expired + 1 }),
    CommandAllowed: (state, { commandId }) =>
      Keyed.get(state.asked, commandId) === undefined
        ? { ...state, automatic: state.automatic + 1 }
        : { ...state, asked: Keyed.remove(state.asked, commandId) },
  }),
}

/** The audit's section, from the folded state. */
export const section = ({ waits, asked: _asked, ...counted }: State): Confirming => ({
  ...counted,
  medianWaitMs: Samples.median(waits),
})
