import * as crypto from "node:crypto"
import type { Series, Snapshot } from "../../log/Snapshots.ts"

/**
 * What proves that a snapshot is this log's own: a mark of the key, and an HMAC-SHA256 (RFC 2104) under it of everything that says
 * which state the snapshot is. It stands before the root in the same column, so that the tables stay those of earlier versions.
 */
export interface Sealed {
  readonly seal: Uint8Array
  readonly root: Uint8Array
}

/** Whose a stored snapshot is: this key's own, one that this key's own was changed into, or of another key or of none. */
export type Origin = "own" | "changed" | "foreign"

const MARK_BYTES = 8
const MAC_BYTES = 32

/** Names the format of what is authenticated. */
const CONTEXT = "hindcast snapshot 1"

/** What is authenticated of a snapshot: the state's hash covers the root, which names every part by its hash. */
export type Claim = Pick<Series, "fingerprint" | "timeline" | "epoch"> &
  Pick<Snapshot, "position" | "eventHash" | "stateHash">

/** The seal of a snapshot under a key. */
export const seal = (key: Uint8Array, claim: Claim): Uint8Array => Buffer.concat([markOf(key), macOf(key, claim)])

/** Whether this key sealed exactly this claim. */
export const originOf = (key: Uint8Array, claim: Claim, sealed: Uint8Array): Origin => {
  if (sealed.length !== MARK_BYTES + MAC_BYTES) return "foreign"
  if (crypto.timingSafeEqual(sealed.subarray(MARK_BYTES), macOf(key, claim))) return "own"
  return crypto.timingSafeEqual(sealed.subarray(0, MARK_BYTES), markOf(key)) ? "changed" : "foreign"
}

/** A seal and a root as one column. */
export const joined = ({ seal, root }: Sealed): Uint8Array => Buffer.concat([seal, root])

/** The two again. What is too short to hold a seal has none that holds. */
export const parted = (column: Uint8Array): Sealed => ({
  seal: column.subarray(0, MARK_BYTES + MAC_BYTES),
  root: column.subarray(MARK_BYTES + MAC_BYTES),
})

/** Tells keys apart and says nothing of them. */
const markOf = (key: Uint8Array): Uint8Array =>
  crypto.createHmac("sha256", key).update("mark of the key").digest().subarray(0, MARK_BYTES)

const macOf = (key: Uint8Array, claim: Claim): Uint8Array => {
  const { fingerprint, timeline, epoch, position, eventHash, stateHash } = claim
  const fields = [CONTEXT, fingerprint, timeline, epoch, position, eventHash, stateHash]
  return crypto.createHmac("sha256", key).update(JSON.stringify(fields)).digest()
}
