/** The fields that every item has from the event with which it begins. */

import type { Json } from "../../values/Json.ts"
import { textOf } from "../../values/JsonObjects.ts"
import type { Told } from "./Told.ts"

export const begun = ({ position, occurredAt, payload, length }: Told, agentId: Json | undefined) => ({
  begins: position,
  position,
  at: occurredAt,
  events: [position],
  agentId: textOf(agentId) ?? null,
  long: payload === null ? [{ position, length }] : [],
})
