/** The failure of a model in words. */

import { inWords } from "../../values/time/Wait.ts"
import type { ModelFailure } from "./Item.ts"

/** Such as `waits 5 min: rate-limited: too many requests`. */
export const failureWords = ({ kind, reason, retryInMs }: ModelFailure): string => {
  const wait = retryInMs === null ? "" : `waits ${inWords(retryInMs)}`
  return [wait, kind ?? "", reason].filter((part) => part !== "").join(": ")
}
