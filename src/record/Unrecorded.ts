/** Results that cannot be recorded. The program still gets them; the log says why it does not have them. */

import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { type Json, plainText, stringified } from "../values/Json.ts"
import type { Redaction } from "./http/Redaction.ts"
import type { RunLog } from "./log/RunLog.ts"

/**
 * Error code of a sensor's reading that could not be recorded. Earlier versions also used it for tools and io
 * functions.
 */
export const CODE = "OutcomeNotRecordable"

/**
 * Records a result as `JSON.stringify` writes it, or null and a reason if it is no JSON or the log refuses it.
 *
 * @param event builds the event for a result, or for null and the reason
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

export const because = (reason: string | undefined) => (reason === undefined ? {} : { unrecorded: { reason } })
