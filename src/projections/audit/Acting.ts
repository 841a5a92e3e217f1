/** The acting section of a task's audit: counts and latencies of its commands, in total and per actuator. */

import { Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"
import { isLate } from "../state/ConfirmationAnswer.ts"
import * as Samples from "./Samples.ts"

const counts = {
  commanded: Schema.NonNegativeInt.annotations({ description: "Commands requested" }),
  succeeded: Schema.NonNegativeInt.annotations({ description: "Commands executed" }),
  failed: Schema.NonNegativeInt.annotations({
    description: "Commands that the world refused, or that failed otherwise",
  }),
  denied: Schema.NonNegativeInt.annotations({
    description: "Commands that the gate refused, without the expired ones",
  }),
  expired: Schema.NonNegativeInt.annotations({ description: "Commands without a confirmation in time" }),
  unknown: Schema.NonNegativeInt.annotations({ description: "Dispatched commands with an unknown outcome" }),
}

/** The commands of a task's agents. Every command counts under one outcome, or has none yet. */
export const Acting = Schema.Struct({
  ...counts,
  unrecorded: optional(
    Schema.Positive.annotations({ description: "Executed commands whose result could not be recorded" }),
  ),
  settled: optional(
    Schema.Positive.annotations({
      description: "Commands whose outcome was unknown after a crash, until their plugin settled it",
    }),
  ),
  retries: optional(
    Schema.Positive.annotations({
      description: "Attempts that failed, after which the kernel tried the command again",
    }),
  ),
  cached: optional(
    Schema.Positive.annotations({
      description: "Part of `succeeded`: commands that were not executed, because an earlier result stood for theirs",
    }),
  ),
  observed: optional(
    Schema.Positive.annotations({
      description:
        "Commands that a recorded or imported program carried out itself. Their latency runs from the call to its result in the program's requests or records",
    }),
  ),
  byComponent: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ ...counts, observed: optional(Schema.Positive), latencyMs: Schema.NullOr(Samples.Latency) }),
  }).annotations({ description: "The same counts per actuator, by `plugin/actuator`" }),
}).annotations({ identifier: "Acting" })

type Acting = typeof Acting.Type

const Actuator = Schema.Struct({ ...counts, observed: Schema.NonNegativeInt, samples: Samples.Samples })
type Actuator = typeof Actuator.Type

const State = Schema.Struct({
  unrecorded: Schema.NonNegativeInt,
  settled: Schema.NonNegativeInt,
  retries: Schema.NonNegativeInt,
  cached: Schema.NonNegativeInt,
  actuators: Schema.Record({ key: Schema.String, value: Actuator }),
  /** Commands whose outcome may still come, by id. */
  open: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ actuator: Schema.String, unknown: Schema.Boolean }),
  }),
  /** Pending confirmations of commands, by confirmation id. */
  confirming: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ commandId: Schema.String, requestedAt: Schema.Finite, expiresAt: Schema.Finite }),
  }),
})
type State = typeof State.Type

const noCommands: Actuator = {
  commanded: 0,
  succeeded: 0,
  failed: 0,
  denied: 0,
  expired: 0,
  unknown: 0,
  observed: 0,
  samples: Samples.none,
}

/**
 * Counts and latencies of every actuator. The first outcome of a command counts: a denial after an expiry counts as
 * expired. Only an unknown outcome is replaced, when a later dispatch makes it known.
 */
export const projection: Projection<State> = {
  name: "TaskAudit.Acting",
  version: 6,
  state: State,
  initial: { unrecorded: 0, settled: 0, retries: 0, cached: 0, actuators: {}, open: {}, confirming: {} },
  evolve: evolveBy<State>({
    ActuatorCommanded: (state, { commandId, actuator, source, observed }) =>
      source === "scenario"
        ? state
        : {
            ...count(state, actuator, (before) => ({
              ...before,
              commanded: before.commanded + 1,
              observed: before.observed + (observed === true ? 1 : 0),
            })),
            open: SafeRecord.set(state.open, commandId, { actuator, unknown: false }),
          },
    CommandAttemptFailed: (state, { commandId }) =>
      SafeRecord.get(state.open, commandId) === undefined ? state : { ...state, retries: state.retries + 1 },
    CommandSucceeded: (state, { commandId, latencyMs, unrecorded, settledBy, cachedFrom }) =>
      noted(state, recordOutcome(state, commandId, "succeeded", latencyMs), { unrecorded, settledBy, cachedFrom }),
    CommandFailed: (state, { commandId, latencyMs, settledBy }) =>
      noted(state, recordOutcome(state, commandId, "failed", latencyMs), { settledBy }),
    CommandDenied: (state, { commandId }) => recordOutcome(state, commandId, "denied"),
    CommandOutcomeUnknown: (state, { commandId }) => {
      const command = SafeRecord.get(state.open, commandId)
      if (command === undefined || command.unknown) return state
      return {
        ...count(state, command.actuator, (before) => ({ ...before, unknown: before.unknown + 1 })),
        open: SafeRecord.set(state.open, commandId, { ...command, unknown: true }),
      }
    },
    ConfirmationRequested: (state, { confirmationId, commandId, expiresAt }, { recordedAt }) =>
      commandId === undefined
        ? state
        : {
            ...state,
            confirming: SafeRecord.set(state.confirming, confirmationId, {
              commandId,
              requestedAt: recordedAt,
              expiresAt,
            }),
          },
    ConfirmationDecided: (state, { confirmationId, approved }, { recordedAt }) => {
      const request = SafeRecord.get(state.confirming, confirmationId)
      const late = approved && request !== undefined && isLate(request, recordedAt)
      return late ? state : removeConfirmation(state, confirmationId)
    },
    ConfirmationWithdrawn: (state, { confirmationId }) => removeConfirmation(state, confirmationId),
    ConfirmationExpired: (state, { confirmationId }) => {
      const request = SafeRecord.get(state.confirming, confirmationId)
      return request === undefined
        ? state
        : recordOutcome(removeConfirmation(state, confirmationId), request.commandId, "expired")
    },
  }),
}

const count = (state: State, actuator: string, update: (before: Actuator) => Actuator): State => ({
  ...state,
  actuators: SafeRecord.set(state.actuators, actuator, update(SafeRecord.get(state.actuators, actuator) ?? noCommands)),
})

type FinalOutcome = "succeeded" | "failed" | "denied" | "expired"

const recordOutcome = (state: State, commandId: string, outcome: FinalOutcome, latencyMs?: number): State => {
  const command = SafeRecord.get(state.open, commandId)
  if (command === undefined) return state
  return {
    ...count(state, command.actuator, (before) => ({
      ...before,
      [outcome]: before[outcome] + 1,
      unknown: command.unknown ? before.unknown - 1 : before.unknown,
      samples: latencyMs === undefined ? before.samples : Samples.add(before.samples, latencyMs),
    })),
    open: SafeRecord.remove(state.open, commandId),
  }
}

/** Counts the details of an outcome, if the outcome counts. */
const noted = (
  before: State,
  after: State,
  ended: { readonly unrecorded?: unknown; readonly settledBy?: unknown; readonly cachedFrom?: unknown },
): State =>
  before === after
    ? before
    : {
        ...after,
        unrecorded: after.unrecorded + (ended.unrecorded === undefined ? 0 : 1),
        settled: after.settled + (ended.settledBy === undefined ? 0 : 1),
        cached: after.cached + (ended.cachedFrom === undefined ? 0 : 1),
      }

const removeConfirmation = (state: State, confirmationId: string): State => {
  const confirming = SafeRecord.remove(state.confirming, confirmationId)
  return confirming === state.confirming ? state : { ...state, confirming }
}

/** Whether every command has an outcome. Then only another command can change the counts. */
export const allEnded = ({ open }: State): boolean => {
  for (const _id in open) return false
  return true
}

const observedOf = (observed: number) => (observed === 0 ? {} : { observed })

export const section = (state: State): Acting => {
  const actuators = Object.entries(state.actuators)
  const total = (of: keyof typeof counts | "observed") => actuators.reduce((sum, [, actuator]) => sum + actuator[of], 0)
  return {
    commanded: total("commanded"),
    succeeded: total("succeeded"),
    failed: total("failed"),
    denied: total("denied"),
    expired: total("expired"),
    unknown: total("unknown"),
    ...(state.unrecorded === 0 ? {} : { unrecorded: state.unrecorded }),
    ...(state.settled === 0 ? {} : { settled: state.settled }),
    ...(state.retries === 0 ? {} : { retries: state.retries }),
    ...(state.cached === 0 ? {} : { cached: state.cached }),
    ...observedOf(total("observed")),
    byComponent: Object.fromEntries(
      actuators.map(([name, { samples, observed, ...counted }]) => [
        name,
        { ...counted, ...observedOf(observed), latencyMs: Samples.latency(samples) },
      ]),
    ),
  }
}
