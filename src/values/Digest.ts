/** Digests: of text, and of a JSON value, independent of the order of its keys. */

import * as crypto from "node:crypto"
import canonicalize from "canonicalize"
import type { Json } from "./Json.ts"

/** SHA-256 of text (UTF-8), in lower-case hexadecimal. */
export const sha256 = (text: string): string => crypto.hash("sha256", text, "hex")

/**
 * SHA-256, in lower-case hexadecimal, of a value's canonical JSON (RFC 8785). Used for arguments, rubrics and
 * manifests.
 */
export const digest = (value: Json): string => sha256(canonicalize(value) ?? "null")
