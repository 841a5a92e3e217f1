/** The digest that ties an approval to exactly what the person was shown. */

import { digest } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"

/** Everything that a person decides about in one confirmation. */
export interface ConfirmationContent {
  readonly confirmationId: string
  /** The command that waits, if it is a command. */
  readonly commandId?: string | undefined
  /** The plugin's host request that waits, if it is one. */
  readonly requestId?: string | undefined
  /** Digest of the arguments. */
  readonly argsDigest: string
  readonly shown: JsonObject
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The digest of a confirmation: SHA-256 over the canonical JSON (RFC 8785) of its whole content. An approval records
 * the digest of what its author was shown, and is valid only for a confirmation with the same digest.
 */
export const confirmationDigest = (asked: ConfirmationContent): string => {
  const { confirmationId, commandId = null, requestId = null, argsDigest, shown, expiresAt } = asked
  return digest({ confirmationId, commandId, requestId, argsDigest, shown, expiresAt })
}
