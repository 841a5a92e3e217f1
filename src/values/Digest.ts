/** The digest of a JSON value, independent of the order of its keys. */

import canonicalize from "canonicalize"
import { type Json, sha256 } from "./Json.ts"

/**
 * SHA-256, in lower-case hexadecimal, of a value's canonical JSON (RFC 8785). Used for arguments, rubrics and
 * manifests.
 */
export const digest = (value: Json): string => sha256(canonicalize(value) ?? "null")
