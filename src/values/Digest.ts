import canonicalize from "canonicalize"
import { type Json, sha256 } from "./Json.ts"

/**
 * The digest of a value that travels (arguments, a rubric, a manifest): SHA-256 in lower-case hexadecimal over its
 * canonical form (RFC 8785), so that the order of keys, at any depth, makes no difference.
 */
export const digest = (value: Json): string => sha256(canonicalize(value) ?? "null")
