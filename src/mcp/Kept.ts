/** Records the messages of a session that are no tool calls, up to a limit that a flood cannot pass. */

import { newId } from "../events/vocabulary/Event.ts"
import type { Redaction } from "../record/http/Redaction.ts"
import type { RunLog } from "../record/log/RunLog.ts"
import { recordable } from "../record/Recordable.ts"
import type { Json, JsonObject } from "../values/Json.ts"

export interface Kept {
  /** Records a message. Returns the id of its event, or of its cause if the limits are passed. */
  readonly message: (kind: string, record: JsonObject, cause: string, bytes: number) => Promise<string>
  /** Records how many messages passed without a record, if any did. */
  readonly close: (cause: string) => Promise<void>
}

/** Maximum size of kept messages, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024

/** Maximum length of a kind, which has the name of a method from outside, in characters. */
const MAX_KIND = 200

/** @param most maximum number of messages */
export const make = (source: string, log: RunLog, redaction: Redaction, most: number): Kept => {
  let messages = 0
  let size = 0
  let left = 0
  const tell = async (kind: string, record: JsonObject, causationId: string): Promise<string> => {
    const id = newId()
    const kept = recordable<Json>(redaction.value<Json>(record), (omitted) => omitted)
    await log.tell({ type: "SourceRecordKept", id, causationId, payload: { source, kind, record: kept } })
    return id
  }
  return {
    message: async (kind, record, cause, bytes) => {
      if (messages >= most || size + bytes > MAX_BYTES) {
        left++
        return cause
      }
      messages++
      size += bytes
      return tell(kind.slice(0, MAX_KIND).toWellFormed(), record, cause)
    },
    close: async (cause) => {
      if (left > 0) await tell("not kept", { messages: left, because: "the session's limits were passed" }, cause)
    },
  }
}
