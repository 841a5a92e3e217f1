/** Interprets the event that follows a confirmation request. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/** The fields of a confirmation request that an answer must match. */
export interface AskedConfirmation {
  readonly confirmationId: string
  readonly argsDigest: string
  /** Digest of the whole request; absent in requests by earlier versions of Hindcast. */
  readonly shownDigest?: string | undefined
  /** When the log recorded the request, in epoch milliseconds. */
  readonly requestedAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The meaning of the first event after a request. `late` is an approval that came too late; `foreign` is not an answer.
 */
export type ConfirmationAnswer =
  | { readonly kind: "approved" | "expired" | "late" | "foreign" }
  | { readonly kind: "rejected"; readonly reason: string }

/** The stream of a confirmation: version 1 is the request, version 2 the first answer. */
export const streamOf = (confirmationId: string): string => `confirmation/${confirmationId}`

/** The confirmation id of a stream; undefined for other streams. */
export const confirmationOf = (stream: string): string | undefined =>
  stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : undefined

const PREFIX = "confirmation/"

/**
 * Whether an answer was recorded too late by the log's own times: at or after the expiry, or before the request. In the
 * second case the clock was set back, and the elapsed time is unknown.
 */
export const isLate = (
  { requestedAt, expiresAt }: Pick<AskedConfirmation, "requestedAt" | "expiresAt">,
  recordedAt: number,
): boolean => recordedAt >= expiresAt || recordedAt < requestedAt

/**
 * Interprets an event as an answer to a request. Pure. An approval counts only if it is in time and its digests equal
 * the request's.
 */
export const interpretAnswer = (request: AskedConfirmation, event: Event): ConfirmationAnswer => {
  const isAbout = event.payload.confirmationId === request.confirmationId
  if (isAbout && is(event, "ConfirmationExpired")) return { kind: "expired" }
  if (isAbout && is(event, "ConfirmationWithdrawn"))
    return { kind: "rejected", reason: event.payload.reason ?? "it was withdrawn" }
  if (!isAbout || !is(event, "ConfirmationDecided")) return { kind: "foreign" }
  const { approved, by, reason, argsDigest, shownDigest } = event.payload
  if (!approved) return { kind: "rejected", reason: reason ?? `${by} rejected it` }
  if (shownDigest === undefined) {
    return { kind: "rejected", reason: `${by} approved it with a version of Hindcast that does not say what was shown` }
  }
  if (argsDigest !== request.argsDigest || shownDigest !== request.shownDigest) {
    return { kind: "rejected", reason: `${by} approved something else than this` }
  }
  return { kind: isLate(request, event.recordedAt) ? "late" : "approved" }
}
