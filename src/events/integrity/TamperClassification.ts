/**
 * Infers how a log was altered at the first break of its chain. Each inference is a proof by hash: the row's stored
 * hash follows from another previous hash, or at another position.
 */

import type { TamperKind } from "../log/Verification.ts"
import type { Head } from "../vocabulary/Event.ts"
import * as Chain from "./Chain.ts"

/** An event as stored: the fields that the chain covers, and the hash. */
export interface StoredRow {
  readonly link: Chain.Link
  readonly payload: string
  readonly keyId: string | null
  readonly hash: string
  /** A reason why the row cannot be valid with any hash. */
  readonly flaw: Flaw | null
}

/** A defect of a row that no log writes. */
export interface Flaw {
  readonly kind: "payload changed" | "envelope changed"
  readonly reason: string
}

/** The first broken position, the kind of tampering, and a sentence with the evidence. */
export interface Break {
  readonly position: number
  readonly kind: TamperKind
  readonly reason: string
}

export interface TamperEvidence {
  /** The last event that continues the chain, or genesis. */
  readonly head: Head
  /** Heads before `head`, in order. */
  readonly earlier: ReadonlyArray<Head>
  /** Rows after the head, in order. The first one breaks the chain. */
  readonly from: ReadonlyArray<StoredRow>
  /** True if the first of these rows has the next version of its stream. */
  readonly inSequence: boolean
  readonly anchor: Head | undefined
}

/** Classifies a break, claiming no more than the rows prove. */
export const classify = (evidence: TamperEvidence): Break => {
  const { head, from } = evidence
  const [first] = from
  if (first === undefined) return missing(head.position + 1, "there is no event here")
  const { position } = first.link
  if (position < 1) return inserted(position, "a log begins at @1")
  if (position === head.position + 1 && first.flaw !== null) return { position, ...first.flaw }
  return misplaced(evidence, first) ?? changed(evidence, first)
}

const misplaced = ({ head, earlier, from }: TamperEvidence, first: StoredRow): Break | undefined => {
  const position = head.position + 1
  const later = from.findIndex((row, index) => index > 0 && continues(head.hash, row, position))
  const belongs = from[later]
  if (first.link.position > position) return belongs === undefined ? gap(position, first) : moved(position, belongs)
  if (belongs !== undefined) return swappedOrInserted(position, from, later, belongs)
  return forgedBefore(earlier, first) ?? movedUp(position, first, from[1])
}

/** The row of this position comes later: either two rows were swapped, or the rows before it were inserted. */
const swappedOrInserted = (position: number, from: ReadonlyArray<StoredRow>, later: number, belongs: StoredRow) => {
  const [first] = from
  const next = from[later + 1]
  const beforeBelongs = later === 1 ? belongs.hash : (from[later - 1]?.hash ?? "")
  const isSwap = first !== undefined && continues(beforeBelongs, first, belongs.link.position)
  const goesOn = next === undefined || continues(belongs.hash, next, position + 1)
  if (isSwap || !goesOn) return moved(position, belongs)
  return inserted(
    position,
    `the event that belongs here, and those after it, are stored from @${belongs.link.position} on`,
  )
}

/**
 * Detects inserted rows with forged hashes that continue the chain: the first row after them continues an earlier head.
 */
const forgedBefore = (earlier: ReadonlyArray<Head>, first: StoredRow): Break | undefined => {
  const lastGenuine = earlier.findLast(({ position, hash }) => continues(hash, first, position + 1))
  return (
    lastGenuine && inserted(lastGenuine.position + 1, `the event that belongs here stands at @${first.link.position}`)
  )
}

/** Maximum number of removed events to try if the rows after a gap were renumbered. */
const MAX_MOVED_UP = 1000

/** Detects renumbered rows: this row and the next were recorded at later positions. */
const movedUp = (position: number, first: StoredRow, next: StoredRow | undefined): Break | undefined => {
  if (next === undefined) return undefined
  for (let removed = 1; removed <= MAX_MOVED_UP; removed++) {
    if (!continues(first.hash, next, next.link.position + removed)) continue
    const events = removed === 1 ? "an event was" : `${removed} events were`
    return missing(position, `${events} removed here, and the following ones were moved up`)
  }
  return undefined
}

/** The row is in its recorded place, so its content or hash was altered. */
const changed = ({ head, from, inSequence, anchor }: TamperEvidence, first: StoredRow): Break => {
  const { position } = first.link
  const flaw = payloadFlaw(first.payload)
  if (flaw !== null) return { position, ...flaw }

  const next = from[1]
  const recomputed = Chain.link(head.hash, first.link, first.payload, first.keyId)
  const nextLinksTo = (hash: string) =>
    (anchor?.position === position && anchor.hash === hash) ||
    (next !== undefined && continues(hash, next, position + 1))
  if (nextLinksTo(recomputed)) {
    const reason = "the next event or the anchor confirms the hash of its content, but the stored hash differs"
    return { position, kind: "hash changed", reason }
  }
  if (!inSequence) {
    const { stream, version } = first.link
    const reason = `version ${version} is not the next one of stream ${stream}, and the content does not match the stored hash`
    return { position, kind: "envelope changed", reason }
  }
  if (nextLinksTo(first.hash)) {
    const reason =
      "the event's content does not match its stored hash, which the next event or the anchor confirms: its payload or a field of its envelope was changed, or an earlier event was rewritten together with its hash"
    return { position, kind: "content changed", reason }
  }
  const reason =
    "the event's content does not match its stored hash, and no later event shows which of the two was changed"
  return { position, kind: "content or hash changed", reason }
}

/** `JSON.stringify` writes every payload, so other text is a flaw by itself. */
const payloadFlaw = (payload: string): Flaw | null => {
  const reason = serializationFlaw(payload)
  return reason === null ? null : { kind: "payload changed", reason }
}

const serializationFlaw = (payload: string): string | null => {
  try {
    return JSON.stringify(JSON.parse(payload)) === payload ? null : "its payload is not JSON as the log writes it"
  } catch {
    return "its payload is not JSON"
  }
}

/** True if the stored hash results from this previous hash and position. */
const continues = (hash: string, { link, payload, keyId, hash: stored }: StoredRow, position: number): boolean =>
  Chain.link(hash, { ...link, position }, payload, keyId) === stored

const missing = (position: number, reason: string): Break => ({ position, kind: "event missing", reason })

const inserted = (position: number, reason: string): Break => ({ position, kind: "event inserted", reason })

const moved = (position: number, belongs: StoredRow): Break => ({
  position,
  kind: "order changed",
  reason: `the event that belongs here stands at @${belongs.link.position}`,
})

const gap = (position: number, { link }: StoredRow): Break =>
  link.position === position + 1
    ? missing(position, "the event is missing")
    : missing(position, `the events from here to @${link.position - 1} are missing`)
