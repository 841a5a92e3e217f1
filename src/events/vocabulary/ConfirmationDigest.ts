/** The digest that ties an approval to exactly the content that the person saw. */

import { digest } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"

/** Everything that a person decides about in one confirmation. */
export interface ConfirmationContent {
  readonly confirmationId: string
  /** The waiting command, if it is one. */
  readonly commandId?: string | undefined
  /** The plugin's waiting host request, if it is one. */
  readonly requestId?: string | undefined
  /** Of the arguments. */
  readonly argsDigest: string
  readonly shown: JsonObject
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * SHA-256 over the canonical JSON (RFC 8785) of the whole content. An approval records the digest of the content that
 * its author saw, and is valid only for a confirmation with the same digest.
 */
export const confirmationDigest = (asked: ConfirmationContent): string => {
  const { confirmationId, commandId = null, requestId = null, argsDigest, shown, expiresAt } = asked
  return digest({ confirmationId, commandId, requestId, argsDigest, shown, expiresAt })
}
