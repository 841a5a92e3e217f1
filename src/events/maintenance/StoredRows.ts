/** Stored events of one log as rows of another, checked against its chain. */

import { findNonJson } from "../../values/Json.ts"
import * as Chain from "../integrity/Chain.ts"
import { digestIn } from "../payload/Blob.ts"
import type { StoredEvent } from "../read/Records.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Why an event does not continue the chain after a head; undefined if it does. */
export const flawOf = (head: Head, { link, stored, keyId, hash }: StoredEvent): string | undefined => {
  const { position } = link
  if (head.position === 0 && position > 1) {
    return `it is @${position}, and a log begins at @1; only an export of all events from the first can be imported`
  }
  if (position !== head.position + 1)
    return `expected @${head.position + 1}, found @${position}: events are missing or not in order`
  // UTF-8 cannot encode a lone surrogate: another character would be hashed and stored.
  const bad = findNonJson({ ...link, stored, keyId })
  if (bad !== undefined) return `@${position}${bad.path}: expected what an append accepts, found ${bad.found}`
  if (Chain.link(head.hash, link, stored, keyId) === hash) return undefined
  return `@${position} does not match its hash: it was altered, or the event before it was replaced`
}

/** The events as a backend writes them. */
export const rowsOf = (page: ReadonlyArray<StoredEvent>) => ({
  rows: page.map(({ link, keyId, hash }) => ({
    ...link,
    hash,
    ...(keyId === null ? {} : { personal: { keyId, readable: false } }),
  })),
  validated: page.map(({ stored, blob }) => ({
    stored,
    blob: blob === null ? null : { digest: digestIn(stored) ?? "", text: blob },
  })),
})
