import { Schema } from "effect"
import { EpochMs } from "../Event.ts"
import { eventType, Milliseconds, optional, SHREDDED, Sha256 } from "../EventType.ts"
import { Json, JsonObject } from "../Json.ts"

const confirmationId = Schema.NonEmptyString
const argsDigest = Sha256.annotations({ description: "Of the arguments that were shown (RFC 8785)" })

/** A person's word on a command. All of these are synced: a decision is never lost to a power cut. */
export const confirmingEvents = [
  eventType(
    "ConfirmationRequested",
    "A command waits for a person.",
    {
      confirmationId,
      commandId: Schema.NonEmptyString,
      argsDigest,
      shown: JsonObject.annotations({ description: "What the person is shown: actuator, arguments, risk" }),
      securityWarning: optional(Json),
      expiresAt: EpochMs,
    },
    { synced: true, personal: { shown: {}, securityWarning: null } },
  ),
  eventType(
    "ConfirmationDecided",
    "A person approved or rejected a command.",
    {
      confirmationId,
      approved: Schema.Boolean,
      by: Schema.NonEmptyString,
      channel: Schema.NonEmptyString.annotations({ description: "`terminal`, `cli`, `program` …" }),
      reason: optional(Schema.String),
      argsDigest,
      waitedMs: Milliseconds,
    },
    { synced: true, personal: { reason: SHREDDED } },
  ),
  eventType(
    "ConfirmationExpired",
    "Nobody decided in time; the command is not executed.",
    { confirmationId },
    {
      synced: true,
    },
  ),
  eventType(
    "ConfirmationWithdrawn",
    "The command no longer waits: its task or its kernel ended.",
    { confirmationId, reason: optional(Schema.String) },
    { synced: true },
  ),
] as const
