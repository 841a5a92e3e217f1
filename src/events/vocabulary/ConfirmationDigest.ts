import { digest } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"

/** All that a person decides about. */
export interface ConfirmationContent {
  readonly confirmationId: string
  /** The command that waits, where it is one. */
  readonly commandId?: string | undefined
  /** The plugin's request to the host that waits, where it is one. */
  readonly requestId?: string | undefined
  /** Digest of the arguments. */
  readonly argsDigest: string
  readonly shown: JsonObject
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The digest of a question: SHA-256 over the canonical JSON (RFC 8785) of all of it. An approval names the digest of what its
 * author was shown, and counts only for a question that has the same one.
 */
export const confirmationDigest = (asked: ConfirmationContent): string => {
  const { confirmationId, commandId = null, requestId = null, argsDigest, shown, expiresAt } = asked
  return digest({ confirmationId, commandId, requestId, argsDigest, shown, expiresAt })
}
