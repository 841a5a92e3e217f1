/** Encrypts bytes and personal fields with AES-256-GCM. */

import * as crypto from "node:crypto"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Key } from "./PersonalDataKeys.ts"

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts bytes with AES-256-GCM (NIST SP 800-38D) and a random 96-bit nonce. Returns nonce, tag and ciphertext,
 * concatenated. `about` is authenticated, not encrypted: decryption with another `about` fails.
 */
export const encryptFields = (key: Key, about: string, plain: Uint8Array): Buffer => {
  const iv = crypto.randomBytes(IV_BYTES)
  const cipher = crypto.createCipheriv(CIPHER, key.secret, iv).setAAD(Buffer.from(about))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Decrypts the output of `encryptFields`. Undefined if key, `about` or bytes differ. */
export const decryptFields = (key: Key, about: string, sealed: Uint8Array): Buffer | undefined => {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined
  const iv = sealed.subarray(0, IV_BYTES)
  const decipher = crypto.createDecipheriv(CIPHER, key.secret, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return undefined // The tag does not match: another key, another `about`, or changed bytes.
  }
}

interface SealedPayload {
  /** The payload without the key: personal fields hold their replacements. */
  readonly open: JsonObject
  /** The personal fields as JSON text, encrypted, in base64. */
  readonly sealed: string
}

/** Encrypts the fields that `replacements` names; its values replace them in the open part. */
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

/** Decrypts the text of `encryptPayload`; without a key, returns the open part. Throws if decryption fails. */
export const decryptPayload = (key: Key | undefined, eventId: string, text: string): JsonObject => {
  const { open, sealed } = JSON.parse(text) as SealedPayload
  if (key === undefined) return open
  const plain = decryptFields(key, eventId, Buffer.from(sealed, "base64"))
  if (plain === undefined) throw new Error(`its personal fields are not what key ${key.id} encrypted`)
  // Spread over the replacements, so that keys keep their order.
  return { ...open, ...(JSON.parse(plain.toString()) as Record<string, Json>) }
}
