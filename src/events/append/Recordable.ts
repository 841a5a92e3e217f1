/** Tells in advance whether the log will accept an event, for events that are held until a later append brings them. */

import { type PayloadCheck, payloadCheck } from "../../values/schema/PayloadCheck.ts"
import type { CoreNewEvent } from "../log/EventLog.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"
import { checkedJson, NonJson } from "./CopiedJson.ts"

/** In characters of JSON: far below the maximum size of a payload, also with several events in one append. */
const LONGEST = 256 * 1024

const checks = new Map<string, PayloadCheck>()

const checkOf = (type: string): PayloadCheck | undefined => {
  const known = checks.get(type)
  if (known !== undefined) return known
  const payload = Vocabulary.core.types.get(type)?.payload
  if (payload === undefined) return undefined
  const check = payloadCheck(payload)
  checks.set(type, check)
  return check
}

/** Whether an event is certainly valid: JSON that fits its type, and not long. */
export const isCertain = ({ type, payload }: CoreNewEvent): boolean =>
  !(checkedJson(payload) instanceof NonJson) &&
  checkOf(type)?.(payload) === undefined &&
  JSON.stringify(payload).length <= LONGEST
