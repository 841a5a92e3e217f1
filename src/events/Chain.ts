import * as crypto from "node:crypto"

/** What the chain covers of one event: every field of its envelope, and its payload's bytes exactly as stored. */
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
  /** The key that encrypts fields of the payload, where one does. */
  readonly keyId: string | null
  /** The payload's JSON text, as stored. */
  readonly payload: string
}

/** The hash before the first event: 32 zero bytes, in hexadecimal. */
export const GENESIS = "0".repeat(64)

/**
 * The hash of an event, given the hash of the one before it:
 * `SHA-256(previous hash ‖ every field, length-prefixed ‖ the payload, length-prefixed)`.
 *
 * Each field is a netstring without the comma (`<bytes in UTF-8>:<text>`), numbers in decimal, an absent field `-:`,
 * so that no two envelopes share an encoding. Names enter as text, never as a storage's own numbers: the chain says
 * the same whatever the backend. Both hashes are 64 hexadecimal digits; the previous one enters as its 64 ASCII bytes.
 */
export const link = (previous: string, event: Link): string =>
  crypto.hash(
    "sha256",
    previous +
      field(String(event.position)) +
      field(event.id) +
      field(event.timeline) +
      field(event.stream) +
      field(String(event.version)) +
      field(event.type) +
      field(String(event.schemaVersion)) +
      field(event.taskId) +
      field(event.causationId) +
      field(event.actor) +
      field(String(event.occurredAt)) +
      field(String(event.recordedAt)) +
      field(event.keyId) +
      field(event.payload),
    "hex",
  )

const field = (text: string | null): string => (text === null ? "-:" : `${Buffer.byteLength(text)}:${text}`)
