/** Ids of tool calls for which a provider gave none. */

import { digest } from "../../values/Digest.ts"
import type { TurnRequest } from "./Model.ts"

const DIGITS = 12

/**
 * The id of a call by its place in the answer. It follows from the conversation: no other turn of it has the same, and
 * a request that is repeated from a cassette or a log gets the same ids.
 */
export const callIdOf = ({ system, messages }: Pick<TurnRequest, "system" | "messages">, index: number): string =>
  `call_${digest({ system, messages }).slice(0, DIGITS)}_${index + 1}`
