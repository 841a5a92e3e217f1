/** The seal of a snapshot proves that a program with the log's key stored it. */

import * as crypto from "node:crypto"
import type { Series, Snapshot } from "../log/Snapshots.ts"
import { decryptFields, encryptFields } from "./PayloadEncryption.ts"
import type { Key } from "./PersonalDataKeys.ts"

/**
 * A stored snapshot. The seal is a mark of the key and an HMAC-SHA256 (RFC 2104) over everything that identifies the
 * state. It precedes the root in the same column, so that the tables stay those of earlier versions.
 */
export interface Sealed {
  readonly seal: Uint8Array
  readonly root: Uint8Array
}

/**
 * Origin of a stored snapshot: `own`, sealed under this key; `changed`, sealed under this key and altered afterwards;
 * `foreign`, of another key or without a seal.
 */
export type SealOrigin = "own" | "changed" | "foreign"

const MARK_BYTES = 8
const MAC_BYTES = 32

const CONTEXT = "hindcast snapshot 1"

/** The authenticated fields. The state's hash covers the root, which names every part by its hash. */
export type SealedFields = Pick<Series, "fingerprint" | "timeline" | "epoch"> &
  Pick<Snapshot, "position" | "eventHash" | "stateHash">

export const seal = (key: Uint8Array, claim: SealedFields): Uint8Array =>
  Buffer.concat([markOf(key), macOf(key, claim)])

export const originOf = (key: Uint8Array, claim: SealedFields, sealed: Uint8Array): SealOrigin => {
  if (sealed.length !== MARK_BYTES + MAC_BYTES) return "foreign"
  if (crypto.timingSafeEqual(sealed.subarray(MARK_BYTES), macOf(key, claim))) return "own"
  return crypto.timingSafeEqual(sealed.subarray(0, MARK_BYTES), markOf(key)) ? "changed" : "foreign"
}

export const joinSeal = ({ seal, root }: Sealed): Uint8Array => Buffer.concat([seal, root])

/** Splits a column. A column that is too short yields an invalid seal. */
export const splitSeal = (column: Uint8Array): Sealed => ({
  seal: column.subarray(0, MARK_BYTES + MAC_BYTES),
  root: column.subarray(MARK_BYTES + MAC_BYTES),
})

/** Distinguishes keys without revealing anything about them. */
const markOf = (key: Uint8Array): Uint8Array =>
  crypto.createHmac("sha256", key).update("mark of the key").digest().subarray(0, MARK_BYTES)

const macOf = (key: Uint8Array, claim: SealedFields): Uint8Array => {
  const { fingerprint, timeline, epoch, position, eventHash, stateHash } = claim
  const fields = [CONTEXT, fingerprint, timeline, epoch, position, eventHash, stateHash]
  return crypto.createHmac("sha256", key).update(JSON.stringify(fields)).digest()
}

/**
 * The name of a series in the tables; names of its parts begin with it. Look-ups never find snapshots of another epoch.
 */
export const nameOf = ({ fingerprint, epoch }: Series): string =>
  epoch === "" ? fingerprint : `${epoch}/${fingerprint}`

export const seriesOf = (name: string): Pick<Series, "fingerprint" | "epoch"> => {
  const at = name.indexOf("/")
  return { epoch: name.slice(0, Math.max(0, at)), fingerprint: name.slice(at + 1) }
}

/** Encrypts a root or a part, if the log has keys. */
export const encryptPart = (key: Key | undefined, digest: string, content: Uint8Array): Uint8Array =>
  key === undefined ? content : encryptFields(key, digest, content)

/**
 * Decrypts a root or a part. Returns no bytes for a value that is no BLOB or has another key: they fail to decompress,
 * so the snapshot is not used.
 */
export const decryptPart = (key: Key | undefined, digest: string, stored: unknown): Uint8Array => {
  if (!(stored instanceof Uint8Array)) return NO_BYTES
  return key === undefined ? stored : (decryptFields(key, digest, stored) ?? NO_BYTES)
}

const NO_BYTES = new Uint8Array()
