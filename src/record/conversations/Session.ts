/**
 * Finds the client session of a request. Side requests of a session, such as one for a title, continue no conversation.
 */

import { jsonOf } from "../../providers/BodyPieces.ts"
import { sha256 } from "../../values/Digest.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import type { ReadExchange } from "../http/ExchangeEvents.ts"
import type { SentRequest } from "../http/HttpMessage.ts"

const HEADERS = ["x-claude-code-session-id", "session_id", "session-id", "x-session-id"]

/** A hash of the session's id; undefined if the request names none. */
export const of = ({ headers }: SentRequest, { asked }: ReadExchange): string | undefined => {
  const named = HEADERS.map((name) => headers.get(name)).find((value) => value !== null && value !== "")
  const found = named ?? inMetadata(asked?.request.settings.metadata)
  return found === undefined || found === null ? undefined : sha256(found)
}

/** The Claude CLI puts the session's id into JSON text. */
const inMetadata = (metadata: unknown): string | undefined => {
  const user = textOf(fieldOf(metadata, "user_id"))
  return user === undefined ? undefined : textOf(fieldOf(jsonOf(user), "session_id"))
}
