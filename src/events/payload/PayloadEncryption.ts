import * as crypto from "node:crypto"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Key } from "./PersonalDataKeys.ts"

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts by AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce: nonce, tag and ciphertext, one after the other.
 * `about` is not encrypted but bound to it: what was sealed about one thing cannot be passed off as about another.
 */
export const encryptFields = (key: Key, about: string, plain: Uint8Array): Buffer => {
  const iv = crypto.randomBytes(IV_BYTES)
  const cipher = crypto.createCipheriv(CIPHER, key.secret, iv).setAAD(Buffer.from(about))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** The plain bytes again; undefined where these are not what this key sealed about this. */
export const decryptFields = (key: Key, about: string, sealed: Uint8Array): Buffer | undefined => {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined
  const iv = sealed.subarray(0, IV_BYTES)
  const decipher = crypto.createDecipheriv(CIPHER, key.secret, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return undefined // The tag does not fit: another key, another matter, or changed bytes.
  }
}

/** A payload whose personal fields are encrypted. */
interface SealedPayload {
  /** The payload as it reads without the key: each personal field replaced by what its type declares for it. */
  readonly open: JsonObject
  /** The personal fields as JSON text, sealed, in base64. */
  readonly sealed: string
}

/** Encrypts the personal fields of an event's payload. `replacements` says for each of them what stands there instead. */
export const encryptPayload = (
  key: Key,
  eventId: string,
  payload: JsonObject,
  replacements: JsonObject,
): { readonly text: string; readonly open: JsonObject } => {
  const personal = Object.fromEntries(Object.keys(replacements).map((field) => [field, payload[field]]))
  const open = { ...payload, ...replacements }
  const sealed = encryptFields(key, eventId, Buffer.from(JSON.stringify(personal))).toString("base64")
  return { text: JSON.stringify({ open, sealed } satisfies SealedPayload), open }
}

/** The payload in the text that `encryptPayload` wrote, as it reads without the key where `key` is undefined. Throws where that fails. */
export const decryptPayload = (key: Key | undefined, eventId: string, text: string): JsonObject => {
  const { open, sealed } = JSON.parse(text) as SealedPayload
  if (key === undefined) return open
  const plain = decryptFields(key, eventId, Buffer.from(sealed, "base64"))
  if (plain === undefined) throw new Error(`its personal fields are not what key ${key.id} encrypted`)
  // The fields take the places of their replacements, so that the order of keys is what it was.
  return { ...open, ...(JSON.parse(plain.toString()) as Record<string, Json>) }
}
