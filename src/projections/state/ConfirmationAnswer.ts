import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/** A question, as far as an answer is held against it. */
export interface AskedConfirmation {
  readonly confirmationId: string
  readonly argsDigest: string
  /** Of all that was asked; absent where an earlier version of Hindcast asked. */
  readonly shownDigest?: string | undefined
  /** When the log recorded the question, in epoch milliseconds. */
  readonly requestedAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** What the first event after a question means for it. `late` is an approval that came too late; `foreign` no answer at all. */
export type ConfirmationAnswer =
  | { readonly kind: "approved" | "expired" | "late" | "foreign" }
  | { readonly kind: "rejected"; readonly reason: string }

/** The stream in which a question stands, at version 1, and the first word on it, at version 2. */
export const streamOf = (confirmationId: string): string => `confirmation/${confirmationId}`

/** The confirmation of a stream; undefined where it is no confirmation's. */
export const confirmationOf = (stream: string): string | undefined =>
  stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : undefined

const PREFIX = "confirmation/"

/**
 * Whether a word was recorded too late, by the log's own times: when or after its question expired, or before the question was
 * asked, for then the clock was put back in between and nobody knows how long it took.
 */
export const isLate = (
  { requestedAt, expiresAt }: Pick<AskedConfirmation, "requestedAt" | "expiresAt">,
  recordedAt: number,
): boolean => recordedAt >= expiresAt || recordedAt < requestedAt

/** What an event means for a question. Pure. Only an approval of exactly what was asked, and in time, is one. */
export const meaningOf = (question: AskedConfirmation, event: Event): ConfirmationAnswer => {
  const isAbout = event.payload.confirmationId === question.confirmationId
  if (isAbout && is(event, "ConfirmationExpired")) return { kind: "expired" }
  if (isAbout && is(event, "ConfirmationWithdrawn")) return { kind: "rejected", reason: "it was withdrawn" }
  if (!isAbout || !is(event, "ConfirmationDecided")) return { kind: "foreign" }
  const { approved, by, reason, argsDigest, shownDigest } = event.payload
  if (!approved) return { kind: "rejected", reason: reason ?? `${by} rejected it` }
  if (shownDigest === undefined) {
    return { kind: "rejected", reason: `${by} approved it with a version of Hindcast that does not say what was shown` }
  }
  if (argsDigest !== question.argsDigest || shownDigest !== question.shownDigest) {
    return { kind: "rejected", reason: `${by} approved something else than this` }
  }
  return { kind: isLate(question, event.recordedAt) ? "late" : "approved" }
}
