/** Applies the gate's request rules to a granted host request, and records the decision. */
import { Cause, Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import * as HostApi from "../hostapi/HostApi.ts"
import type { RecordEvent } from "./EventRecorder.ts"

/** A granted and recorded request, as gate rules see it. */
export interface GatedRequest {
  readonly plugin: string
  readonly requestId: string
  readonly kind: HostApi.RequestKind
  /** The command, the real path or the host. */
  readonly target: string
  /** The call that makes the request, such as `read workspace/git`. */
  readonly during: string
  /** Digest of the request's parameters. */
  readonly argsDigest: string
  /** The whole request, for a person. */
  readonly shown: JsonObject
  /** The request's `BrokerRequested` event. */
  readonly causationId: string
  readonly taskId: string | undefined
}

/** A decision, and the event that it follows from. The host executes a request only if `allowed` is true. */
export interface RequestDecision {
  readonly allowed: boolean
  readonly rule: string
  readonly reason: string
  readonly causationId: string
}

/** The gate, as host requests use it. */
export interface HostRequestGate {
  /** Decides about a request, in as much time as a person needs. An interruption leaves it undecided. */
  readonly decide: (requested: GatedRequest) => Effect.Effect<RequestDecision, unknown>
  /** Whether a redirect of this request may lead to `host`. Asks no person. */
  readonly allowsHost: (requested: GatedRequest, host: string) => boolean
}

/** The client to execute the request with, or the denial. `causationId` is the event of the ruling. */
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
 * Rules on a granted request and records the ruling. A request without a grant fails as without rules. If the ruling
 * fails or cannot be recorded, the request fails.
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
    // The type annotation makes the compiler reject a misspelt `permit`, without which nothing would enforce the
    // ruling.
    const permitted: HostApi.Client = {
      ...client,
      permit: { target, allows: (host) => ruling.allowsHost(fullRequest, host) },
    }
    return { causationId: id, client: permitted }
  })

/** Turns every error of a ruling except interruption into a failure of the request. */
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
