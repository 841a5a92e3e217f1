/** The projection of numbers by which people watch a log from outside: they only grow. */

import { Schema } from "effect"
import { type CoreName, evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"

const Count = Schema.NonNegativeInt

/** Numbers of events since the log began. */
export const Operations = Schema.Struct({
  opened: Count.annotations({ description: "Tasks that began" }),
  closed: Schema.Record({ key: Schema.String, value: Count }).annotations({ description: "Tasks, by outcome" }),
  submitted: Count.annotations({ description: "Tasks that were queued" }),
  takeovers: Count.annotations({ description: "Runners that were declared lost, and leases that were taken over" }),
  poisoned: Count.annotations({ description: "Tasks that ended their runners too often" }),
  doubts: Count.annotations({ description: "Commands whose outcome is unknown" }),
  crashes: Count.annotations({ description: "Ends of plugins' processes while calls waited for an answer" }),
  quarantines: Count.annotations({ description: "Plugins that were set aside" }),
  confirmations: Count.annotations({ description: "Questions to people" }),
}).annotations({ identifier: "Operations" })

export type Operations = typeof Operations.Type

const initial: Operations = {
  opened: 0,
  closed: {},
  submitted: 0,
  takeovers: 0,
  poisoned: 0,
  doubts: 0,
  crashes: 0,
  quarantines: 0,
  confirmations: 0,
}

const adding =
  (name: Exclude<keyof Operations, "closed">) =>
  (state: Operations): Operations => ({ ...state, [name]: state[name] + 1 })

const HANDLERS = {
  TaskOpened: adding("opened"),
  TaskSubmitted: adding("submitted"),
  RunnerLost: adding("takeovers"),
  LeaseTakenOver: adding("takeovers"),
  TaskPoisoned: adding("poisoned"),
  CommandOutcomeUnknown: adding("doubts"),
  PluginQuarantined: adding("quarantines"),
  ConfirmationRequested: adding("confirmations"),
} as const

export const TYPES: ReadonlyArray<CoreName> = [
  ...(Object.keys(HANDLERS) as ReadonlyArray<keyof typeof HANDLERS>),
  "TaskClosed",
  "PluginExited",
]

/** The numbers of a timeline. */
export const projection: Projection<Operations> = {
  name: "Operations",
  version: 1,
  state: Operations,
  initial,
  types: TYPES,
  evolve: evolveBy<Operations>({
    ...HANDLERS,
    TaskClosed: (state, { outcome }) => ({
      ...state,
      closed: { ...state.closed, [outcome]: (SafeRecord.get(state.closed, outcome) ?? 0) + 1 },
    }),
    PluginExited: (state, { inFlight }) => (inFlight.length === 0 ? state : { ...state, crashes: state.crashes + 1 }),
  }),
}
