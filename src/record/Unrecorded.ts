/** Results that cannot be recorded: the call was made, its program has the result, and the log says why it has not. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { type Json, plainText, stringified } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"
import type { RunLog } from "./log/RunLog.ts"

/** The code of what could not be recorded, of a sensor. Earlier versions recorded tools and other functions so as well. */
export const CODE = "OutcomeNotRecordable"

/**
 * Records a result the way `JSON.stringify` writes it. Where that is impossible, or the log refuses it, the event has null and why.
 *
 * @param event the event that has the result, or null and why it has not
 */
export const appendResult = async (
  log: RunLog,
  redaction: Redaction,
  result: unknown,
  event: (result: Json, why?: string) => CoreNewEvent,
): Promise<void> => {
  const copy = stringified(result)
  const without = (why: string) => event(null, plainText(redaction.text(why)))
  if ("refused" in copy) await log.tell(without(copy.refused))
  else await log.append([event(redaction.value(copy.json))], { otherwise: ({ reason }) => [without(reason)] })
}

/** The field of an event that has no result. */
export const because = (reason: string | undefined) => (reason === undefined ? {} : { unrecorded: { reason } })
