/** Applies the gate to host requests of plugin processes. */

import { Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { GatedRequest, HostRequestGate, RequestDecision } from "../../plugins/channel/RequestRuling.ts"
import * as ConfirmationRequests from "./ConfirmationRequests.ts"
import * as Gate from "./Gate.ts"

/** Maximum number of open confirmations for one process; further ones wait. */
const MAX_OPEN_CONFIRMATIONS = 4

/**
 * Decides about the host requests of one process. Fails closed: only an explicit `allow` or, after `confirm`, a
 * person's approval passes.
 *
 * @param served returns the task that a call names, or else the task that the process serves
 */
export const make = (
  log: EventLog.Service,
  gate: Gate.GateConfig,
  served: (instanceName: string | undefined) => Served,
): HostRequestGate => {
  const questions = Effect.unsafeMakeSemaphore(MAX_OPEN_CONFIRMATIONS)
  return {
    allowsHost: (requested, target) =>
      Gate.decideRequest(gate, { ...candidate(requested), target }).decision === "allow",
    decide: (requested) =>
      Effect.gen(function* () {
        const ruling = Gate.decideRequest(gate, candidate(requested))
        const { causationId } = requested
        const { rule, reason } = ruling
        switch (ruling.decision) {
          case "allow":
            return { allowed: true, rule, reason, causationId }
          case "confirm":
            return yield* questions.withPermits(1)(ask(log, requested, ruling, served(requested.taskId)))
          case "deny":
            return { allowed: false, rule, reason, causationId }
          default:
            return {
              allowed: false,
              rule: Gate.INVALID_GATE_RULE,
              reason: unexpectedValue(ruling.decision),
              causationId,
            }
        }
      }),
  }
}

const unexpectedValue = (found: never): string =>
  `expected allow, deny or confirm, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

const candidate = ({ plugin, kind, target, during }: GatedRequest): Gate.GateHostRequest => {
  // `during` names the call and its component, or only the plugin during the set-up of its environment.
  const [, called = plugin] = during.split(" ")
  return { kind, target, component: called.includes("/") ? called : `${plugin}/` }
}

interface Served {
  readonly taskId: string | null
  readonly timeline: string
}

const ask = (log: EventLog.Service, requested: GatedRequest, ruling: Gate.Ruling, served: Served) =>
  Effect.map(
    ConfirmationRequests.ask(log, {
      ...served,
      requestId: requested.requestId,
      argsDigest: requested.argsDigest,
      shown: {
        request: requested.kind,
        target: requested.target,
        plugin: requested.plugin,
        during: requested.during,
        rule: ruling.rule,
        args: requested.shown,
      },
      withinMs: ruling.confirmWithinMs,
      causationId: requested.causationId,
    }),
    (settled): RequestDecision => {
      const { rule } = ruling
      const causationId = settled.event.id
      switch (settled.kind) {
        case "approved":
          return { allowed: true, rule, reason: ruling.reason, causationId }
        case "rejected":
          return { allowed: false, rule, reason: settled.reason, causationId }
        default:
          return { allowed: false, rule, reason: "nobody decided in time", causationId }
      }
    },
  )
