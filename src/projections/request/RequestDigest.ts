/** The digest of a model agent's whole request, which the log records with each of them. */

import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { RequestMessage } from "./RequestMessage.ts"
import type { WholeRequest } from "./WholeRequest.ts"

/**
 * The digest of a request for one turn. It covers the digests of messages, which are computed once, so that no turn
 * reads a long conversation again.
 */
export const of = ({ messages, ...rest }: { readonly messages: ReadonlyArray<RequestMessage> }): string =>
  // The other fields are JSON.
  digest({ ...(rest as JsonObject), messages: messages.map(digestOfMessage) })

const digests = new WeakMap<RequestMessage, string>()

const digestOfMessage = (message: RequestMessage): string => {
  // Messages are JSON.
  const known = digests.get(message) ?? digest(message as unknown as Json)
  digests.set(message, known)
  return known
}

/**
 * Whether a request is exactly the one that its model agent sent, by the recorded digest. Undefined if that cannot be
 * checked: the digest covers something else, or a part of the request is missing. An agent with a limit on its answers
 * (`maxOutputTokens`), which the log does not record, has another digest.
 */
export const isExact = (request: WholeRequest): boolean | undefined => {
  const { recordedBy, system, tools, settings, messages, digest: recorded } = request
  if (recordedBy !== "agent") return undefined
  if ("notRecorded" in system || "notRecorded" in tools || "notRecorded" in settings) return undefined
  const whole = {
    ...settings.value,
    system: system.value,
    tools: tools.value.map(({ name, description = "", schema = {} }) => ({ name, description, args: schema })),
    messages: messages.map(({ role, content }) => ({ role, content })),
  }
  return of(whole) === recorded
}
