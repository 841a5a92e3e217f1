/** An event as a conversation reads it. */

import type { Json } from "../../values/Json.ts"
import type { Placed } from "./InTime.ts"

export interface Told extends Placed {
  readonly id: string
  /** Null if the reader did not get it, because it is too long for a page. */
  readonly payload: Json | null
  /** Characters of the payload as JSON. */
  readonly length: number
  /** A summary on one line, without control characters. */
  readonly line: string
}

/** An item that later events may still complete. */
export type Growing<A> = { -readonly [Field in keyof A]: A[Field] }
