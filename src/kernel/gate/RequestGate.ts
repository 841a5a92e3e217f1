import { type Context, Effect } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { RequestDecision, Requested, Ruling } from "../../plugins/channel/RequestRuling.ts"
import * as ConfirmationRequests from "./ConfirmationRequests.ts"
import * as Gate from "./Gate.ts"

/** Most questions to people about the requests of one process that are open at a time; the others wait for their turn. */
const QUESTIONS = 4

/**
 * Rules on what one process asks of the host, by the gate's rules about requests. Whatever is not an explicit `allow`, or a
 * person's approval where they say `confirm`, is denied.
 *
 * @param served whom a call serves: the task that it names, else whom the process serves
 */
export const make = (
  log: Context.Tag.Service<EventLog>,
  gate: Gate.GateConfig,
  served: (place: string | undefined) => Served,
): Ruling => {
  const questions = Effect.unsafeMakeSemaphore(QUESTIONS)
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
            return { allowed: false, rule: Gate.ITSELF, reason: unheardOf(ruling.decision), causationId }
        }
      }),
  }
}

const unheardOf = (found: never): string =>
  `expected allow, deny or confirm, found ${JSON.stringify(found) ?? String(found)}; whatever is not allowed is denied`

const candidate = ({ plugin, kind, target, during }: Requested): Gate.RequestCandidate => {
  // A call is named by what it does and to which component, or to the plugin where its world is set up.
  const [, called = plugin] = during.split(" ")
  return { kind, target, component: called.includes("/") ? called : `${plugin}/` }
}

/** A task in one of its histories, or none. */
interface Served {
  readonly taskId: string | null
  readonly timeline: string
}

const ask = (log: Context.Tag.Service<EventLog>, requested: Requested, ruling: Gate.Ruling, place: Served) =>
  Effect.map(
    ConfirmationRequests.ask(log, {
      ...place,
      requestId: requested.requestId,
      argsDigest: requested.argsDigest,
      shown: {
        request: requested.kind,
        target: requested.target,
        ...{ plugin: requested.plugin, during: requested.during, rule: ruling.rule },
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
