import { Cause, Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as HostApi from "../hostapi/HostApi.ts"
import type { RecordEvent } from "./EventRecorder.ts"

/** A request that is granted, and recorded, for whoever rules on it. */
export interface Requested {
  readonly plugin: string
  readonly requestId: string
  readonly kind: HostApi.RequestKind
  /** The command, the real path, or the host. */
  readonly target: string
  /** The call during which it is made, such as `read workspace/git`. */
  readonly during: string
  /** Digest of its parameters. */
  readonly argsDigest: string
  /** All of it, for a person. */
  readonly shown: JsonObject
  /** The id of its `BrokerRequested`. */
  readonly causationId: string
  /** The task that the call serves. */
  readonly taskId: string | undefined
}

/** What was decided about a request, and the event that it follows from. Whatever is not `allowed` is not carried out. */
export interface RequestDecision {
  readonly allowed: boolean
  readonly rule: string
  readonly reason: string
  readonly causationId: string
}

/** Rules on requests. */
export interface Ruling {
  /** May take as long as a person does. Interrupted, it has decided nothing. */
  readonly decide: (requested: Requested) => Effect.Effect<RequestDecision, unknown>
  /** Whether a redirect of such a request may lead to a host. Nobody is asked about that. */
  readonly allowsHost: (requested: Requested, host: string) => boolean
}

/** A request that may be carried out for this client, as it follows from an event; or why it is denied. */
export type Ruled = { readonly causationId: string } & (
  | { readonly client: HostApi.Client }
  | { readonly denied: Failure }
)

interface Asking {
  readonly ruling: Ruling
  readonly client: HostApi.Client
  readonly request: HostApi.Request
  readonly requested: Omit<Requested, "kind" | "target" | "shown">
  readonly record: RecordEvent
}

/**
 * Has a granted request ruled on, and records the ruling. One that is not granted is not ruled on: it fails as it does without
 * rules. Where the ruling fails or cannot be recorded, nothing is carried out.
 */
export const ruleOn = ({ ruling, client, request, requested, record }: Asking): Effect.Effect<Ruled, Failure> =>
  Effect.gen(function* () {
    const { plugin, requestId, taskId } = requested
    const target = yield* request.target(client)
    const whole: Requested = { ...requested, kind: HostApi.KINDS[request.method], target, shown: request.shown }
    const decided = yield* withoutRuling(ruling.decide(whole))
    const { rule, causationId } = decided
    const reason = plainText(decided.reason)
    const id = newId()
    const event: CoreNewEvent =
      decided.allowed === true
        ? { id, causationId, type: "BrokerAllowed", payload: { plugin, requestId, rule } }
        : { id, causationId, type: "BrokerDenied", payload: { plugin, requestId, rule, reason } }
    yield* withoutRuling(record(event, taskId))
    if (event.type === "BrokerDenied") return { causationId: id, denied: { code: "RequestDenied", message: reason } }
    const allows = (host: string) => ruling.allowsHost(whole, host)
    return { causationId: id, client: { ...client, ruledOn: { target, allows } } }
  })

/** Whatever goes wrong with a ruling, but an interruption, is a failure of the request. */
const withoutRuling = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, Failure> =>
  Effect.catchAllCause(effect, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    const why = error instanceof Error ? error.message : String(error)
    return Effect.fail({
      code: "NotRuledOn",
      message: plainText(`it could not be ruled on, so it was not done: ${why}`),
    })
  })
