/** The request as the writers of bodies read it, and the parts of its messages. Pure. */

import { separated } from "../../projections/request/FileParts.ts"
import { listOf } from "../../projections/request/RequestMessage.ts"
import type { SeenTool } from "../../projections/request/WholeRequest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"

/** A request to write: as far as it is recorded. */
export interface Writable {
  readonly model: string
  readonly system: string
  readonly tools: ReadonlyArray<SeenTool>
  readonly settings: JsonObject
  /** Whether the results of calls are as the provider's own format has them. */
  readonly isOwnFormat: boolean
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: Json }>
}

/** The parts of a message. Content that is text alone is one part. */
export const partsOf = (content: Json): ReadonlyArray<JsonObject> =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).filter(isObject)

/** A text field; empty if it is missing. */
export const words = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** The arguments of a call as JSON text, as the model wrote them where that is known. */
export const argumentsText = ({ text, args, invalid }: JsonObject): string =>
  typeof text === "string" ? text : invalid === true && typeof args === "string" ? args : JSON.stringify(args ?? {})

/** The arguments of a call as an object. */
export const argumentsObject = ({ args }: JsonObject): JsonObject =>
  isObject(args) ? args : { arguments: args ?? null }

/** The result of a call: as recorded if it is in the provider's own format, otherwise as text. */
export const resultOf = ({ content = null }: JsonObject, isOwnFormat: boolean): Json => {
  if (isOwnFormat) return content
  const { json } = separated(content)
  return typeof json === "string" ? json : JSON.stringify(json)
}

/** A member for an object, if it has a value. */
export const unlessEmpty = (name: string, value: ReadonlyArray<Json> | string): JsonObject =>
  value.length === 0 ? {} : { [name]: value }

/** The metadata that a provider wants back with a part. */
export const metadataOf = ({ providerMetadata }: JsonObject, provider: string): JsonObject =>
  asObject(asObject(providerMetadata)[provider])
