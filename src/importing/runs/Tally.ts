/** Counts by names from outside, with bounded memory. */

import { nameFrom } from "./Untrusted.ts"

const MAX_NAMES = 200

/** Adds to a count. Above `MAX_NAMES`, new names share one count. */
export const increase = (counts: Map<string, number>, name: string, by = 1): void => {
  const plain = nameFrom(name)
  const key = counts.has(plain) || counts.size < MAX_NAMES ? plain : "others"
  counts.set(key, (counts.get(key) ?? 0) + by)
}
