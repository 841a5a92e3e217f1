/**
 * The opaque text that a client returns when it repeats a call: what was asked, about which call, under which rules and
 * until when. Signed, because it comes back from a stranger.
 */

import * as crypto from "node:crypto"
import { Schema } from "effect"
import { optional } from "../events/vocabulary/EventType.ts"
import { parseJson } from "../values/Json.ts"

/** The call to which a client's repetition is bound. */
export const CallState = Schema.Struct({
  /** `approval`: a person is asked. `answer`: the server itself asked for input. */
  purpose: Schema.Literal("approval", "answer"),
  commandId: Schema.String,
  confirmationId: optional(Schema.String),
  actuator: Schema.String,
  /** Of the arguments as the client sent them. */
  argsDigest: Schema.String,
  /** Of the gate's rules. */
  policyDigest: Schema.String,
  /** In milliseconds since 1970. */
  expiresAt: Schema.Number,
  /** The server's own state. */
  serverState: optional(Schema.String),
})

export type CallState = typeof CallState.Type

/** Fields that the repetition itself has to match. */
export type Bound = Pick<CallState, "actuator" | "argsDigest" | "policyDigest">

export type Verified =
  | { readonly ok: true; readonly state: CallState }
  | { readonly ok: false; readonly reason: string }

export interface RequestState {
  readonly sign: (state: CallState) => string
  /** Checks signature, expiry, and that the repeated call is the same under the same rules. */
  readonly verify: (text: string, call: Bound, now: number) => Verified
}

/** Maximum length of a state to look at, in characters. */
const MAX_LENGTH = 1024 * 1024

/** States of one gateway: nobody else has the key, and no state outlives it. */
export const make = (key: Buffer = crypto.randomBytes(32)): RequestState => {
  const macOf = (body: string): Buffer => crypto.createHmac("sha256", key).update(body).digest()
  return {
    sign: (state) => {
      const body = Buffer.from(JSON.stringify(state)).toString("base64url")
      return `${body}.${macOf(body).toString("base64url")}`
    },
    verify: (text, call, now) => {
      const [body = "", mac = "", ...more] = text.length > MAX_LENGTH ? [] : text.split(".")
      const given = Buffer.from(mac, "base64url")
      const expected = macOf(body)
      if (more.length > 0 || given.length !== expected.length || !crypto.timingSafeEqual(given, expected)) {
        return refused("it was not made by this gateway, or was changed")
      }
      const state = Schema.decodeUnknownSync(CallState)(parseJson(Buffer.from(body, "base64url").toString("utf8")))
      if (state.actuator !== call.actuator) return refused(`it is for ${state.actuator}, not for ${call.actuator}`)
      if (state.argsDigest !== call.argsDigest) return refused("the arguments are not those that were shown")
      if (state.policyDigest !== call.policyDigest) return refused("the rules of the gate have changed since")
      if (now >= state.expiresAt) return refused("its time is up")
      return { ok: true, state }
    },
  }
}

const refused = (reason: string): Verified => ({ ok: false, reason })
