/** Places that a search for words finds. */
import type { Kind } from "../../search/words/EventText.ts"
import type { Piece } from "../../search/words/Matching.ts"

/** How far the index of words reaches. */
export interface SearchCoverage {
  /** Events up to this position are covered. */
  readonly position: number
  readonly head: number
  /** Why there is no index, so that a search reads the events themselves; null if there is one. */
  readonly withoutIndex: string | null
}

export interface SearchHit {
  readonly position: number
  readonly timeline: string
  readonly task: string | null
  readonly type: string
  readonly kind: Kind
  readonly occurredAt: number
  /** The text around the words. */
  readonly excerpt: ReadonlyArray<Piece>
}
