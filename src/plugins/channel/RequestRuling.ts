/** Applies the gate's request rules to a granted host request, and records the decision. */
import { Cause, Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as HostApi from "../hostapi/HostApi.ts"
import type { RecordEvent } from "./EventRecorder.ts"

/** A granted and recorded request, as the gate rules see it. */
export interface GatedRequest {
  readonly plugin: string
  readonly requestId: string
  readonly kind: HostApi.RequestKind
  /** The command, the real path or the host. */
  readonly target: string
  /** The call that makes the request, such as `read workspace/git`. */
  readonly during: string
  /** The digest of the request's parameters. */
  readonly argsDigest: string
  /** The whole request, to be shown to a person. */
  readonly shown: JsonObject
  /** The id of the request's `BrokerRequested` event. */
  readonly causationId: string
  /** The task that the call serves. */
  readonly taskId: string | undefined
}

/**
 * A decision about a request, and the event that the decision follows from. Only a request with `allowed` set is
 * carried out.
 */
export interface RequestDecision {
  readonly allowed: boolean
  readonly rule: string
  readonly reason: string
  readonly causationId: string
}

/** The gate, as host requests use it. */
export interface HostRequestGate {
  /** Decides about a request. It can take as long as a person does. If it is interrupted, nothing is decided. */
  readonly decide: (requested: GatedRequest) => Effect.Effect<RequestDecision, unknown>
  /** Whether a redirect of this request may lead to `host`. No person is asked. */
  readonly allowsHost: (requested: GatedRequest, host: string) => boolean
}

/**
 * The outcome of a ruling: the client to carry the request out with, or the denial. `causationId` is the event that
 * records the ruling.
 */
export type RulingResult = { readonly causationId: string } & (
  | { readonly client: HostApi.Client }
  | { readonly denied: Failure }
)

interface RulingInput {
  readonly ruling: HostRequestGate
  readonly client: HostApi.Client
  readonly request: HostApi.Request
  readonly requested: Omit<GatedRequest, "kind" | "target" | "shown">
  readonly record: RecordEvent
}

/**
 * Rules on a granted request and records the ruling. A request that is not granted fails as it would without rules. If
 * the ruling fails or cannot be recorded, the request is not carried out.
 */
export const ruleOn = ({
  ruling,
  client,
  request,
  requested,
  record,
}: RulingInput): Effect.Effect<RulingResult, Failure> =>
  Effect.gen(function* () {
    const { plugin, requestId, taskId } = requested
    const target = yield* request.target(client)
    const fullRequest: GatedRequest = {
      ...requested,
      kind: HostApi.KINDS[request.method],
      target,
      shown: request.shown,
    }
    const decision = yield* asRequestFailure(ruling.decide(fullRequest))
    const { rule, causationId } = decision
    const reason = plainText(decision.reason)
    const id = newId()
    const event: CoreNewEvent =
      decision.allowed === true
        ? { id, causationId, type: "BrokerAllowed", payload: { plugin, requestId, rule } }
        : { id, causationId, type: "BrokerDenied", payload: { plugin, requestId, rule, reason } }
    yield* asRequestFailure(record(event, taskId))
    if (event.type === "BrokerDenied") return { causationId: id, denied: { code: "RequestDenied", message: reason } }
    // Its type is named, so that the compiler refuses a permit under any other name: without a permit nothing is held to it.
    const permitted: HostApi.Client = {
      ...client,
      permit: { target, allows: (host) => ruling.allowsHost(fullRequest, host) },
    }
    return { causationId: id, client: permitted }
  })

/** Turns every error of a ruling, except interruption, into a failure of the request. */
const asRequestFailure = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, Failure> =>
  Effect.catchAllCause(effect, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    const why = error instanceof Error ? error.message : String(error)
    return Effect.fail({
      code: "NotRuledOn",
      message: plainText(`it could not be ruled on, so it was not done: ${why}`),
    })
  })
