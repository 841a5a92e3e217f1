/** The hash chain: each event's hash covers the event and the previous hash. */

import * as crypto from "node:crypto"

/** The envelope fields that the hash covers, next to the payload's text exactly as stored. */
export interface Link {
  readonly position: number
  readonly id: string
  readonly timeline: string
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly schemaVersion: number
  readonly taskId: string | null
  readonly causationId: string | null
  readonly actor: string
  readonly occurredAt: number
  readonly recordedAt: number
}

/** The hash before the first event: 32 zero bytes, in hexadecimal. */
export const GENESIS = "0".repeat(64)

/**
 * Returns `SHA-256(previous hash ‖ every field, length-prefixed ‖ the payload, length-prefixed)`.
 *
 * Each field is a netstring without the comma (`<bytes in UTF-8>:<text>`), numbers in decimal, an absent field `-:`, so
 * that no two envelopes share an encoding. Names are hashed as text, so the chain does not depend on the backend.
 * `keyId` names the key of encrypted fields. Both hashes are 64 hexadecimal digits; the previous one is hashed as 64
 * ASCII bytes.
 */
export const link = (previous: string, event: Link, payload: string, keyId: string | null = null): string =>
  crypto.hash(
    "sha256",
    previous +
      ascii(String(event.position)) +
      ascii(event.id) +
      name(event.timeline) +
      name(event.stream) +
      ascii(String(event.version)) +
      name(event.type) +
      ascii(String(event.schemaVersion)) +
      name(event.taskId) +
      ascii(event.causationId) +
      name(event.actor) +
      ascii(String(event.occurredAt)) +
      ascii(String(event.recordedAt)) +
      field(keyId) +
      field(payload),
    "hex",
  )

const field = (text: string | null): string => (text === null ? ABSENT : `${Buffer.byteLength(text)}:${text}`)

const MAX_NAMES = 256

const names = new Map<string, string>()

/** Like `field`, cached: successive events share most names. */
const name = (text: string | null): string => {
  if (text === null) return ABSENT
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= MAX_NAMES) names.clear()
  const made = field(text)
  names.set(text, made)
  return made
}

/** Like `field`, for ASCII text, whose bytes equal its characters. */
const ascii = (text: string | null): string => (text === null ? ABSENT : `${text.length}:${text}`)

const ABSENT = "-:"
