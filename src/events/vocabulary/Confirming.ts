/** Event types of confirmations: a person approves or rejects a command or a plugin's host request. */

import { Schema } from "effect"
import { Json, JsonObject } from "../../values/Json.ts"
import { Moment } from "../../values/Time.ts"
import { eventType, Milliseconds, optional, SHREDDED, Sha256 } from "./EventType.ts"
import type { Upcaster } from "./Upcaster.ts"

const confirmationId = Schema.NonEmptyString
const argsDigest = Sha256.annotations({
  description: "Digest of the arguments that were shown, as canonical JSON (RFC 8785)",
})
const shownDigest = optional(
  Sha256.annotations({
    description: "Digest of the whole question (see `confirmationDigest`); absent in events of version 1",
  }),
)

/** Events of confirmations. All are synced, so that no power failure loses a decision. */
export const confirmingEvents = [
  eventType(
    "ConfirmationRequested",
    "A command, or a plugin's request to the host, waits for a person.",
    {
      confirmationId,
      commandId: optional(Schema.NonEmptyString.annotations({ description: "The command that waits" })),
      requestId: optional(Schema.NonEmptyString.annotations({ description: "The request to the host that waits" })),
      argsDigest,
      shown: JsonObject.annotations({ description: "What the person sees: the whole question, and its risk" }),
      shownDigest,
      securityWarning: optional(Json),
      expiresAt: Moment,
    },
    { version: 2, synced: true, personal: { shown: {}, securityWarning: null } },
  ),
  eventType(
    "ConfirmationDecided",
    "A person approved or rejected it.",
    {
      confirmationId,
      approved: Schema.Boolean,
      by: Schema.NonEmptyString,
      channel: Schema.NonEmptyString.annotations({ description: "`terminal`, `cli`, `program` …" }),
      reason: optional(Schema.String),
      argsDigest,
      shownDigest,
      waitedMs: optional(Milliseconds.annotations({ description: "Absent: unknown, as in many imported files" })),
    },
    { version: 2, synced: true, personal: { reason: SHREDDED } },
  ),
  eventType(
    "ConfirmationExpired",
    "Nobody decided in time. The command or request does not run.",
    { confirmationId },
    {
      synced: true,
    },
  ),
  eventType(
    "ConfirmationWithdrawn",
    "The question was withdrawn: its task or its kernel ended, or a program other than the kernel wrote to its stream.",
    { confirmationId, reason: optional(Schema.String) },
    { synced: true, personal: { reason: SHREDDED } },
  ),
] as const

/**
 * Version 1 covered only commands and had no digest of the shown content, so nobody can approve its confirmations any
 * more.
 */
export const confirmingUpcasters: ReadonlyArray<Upcaster> = [
  { type: "ConfirmationRequested", from: 1, upcast: (payload) => payload },
  { type: "ConfirmationDecided", from: 1, upcast: (payload) => payload },
]
