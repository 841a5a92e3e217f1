/** Reads the system prompt, the tools and the settings of recorded requests. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import { listOf } from "./RequestMessage.ts"
import type { LoggedEvent, Part, SeenTool } from "./WholeRequest.ts"

/** The parts of a request that stay the same from turn to turn. */
export interface Prompt {
  readonly system: Part<string>
  readonly tools: Part<ReadonlyArray<SeenTool>>
  readonly settings: Part<JsonObject>
}

/** A prompt of which no part is recorded, for one reason. */
export const missing = (notRecorded: string): Prompt => ({
  system: { notRecorded },
  tools: { notRecorded },
  settings: { notRecorded },
})

/** The prompt that a request records by itself. */
export const recorded = ({ position: at }: LoggedEvent, request: JsonObject): Prompt => ({
  system:
    typeof request.system === "string"
      ? { value: request.system, at }
      : { notRecorded: "The request was recorded without its system prompt." },
  tools: Array.isArray(request.tools)
    ? { value: toolsIn(request.tools), at }
    : { notRecorded: "The request was recorded without its tools." },
  settings: isObject(request.settings)
    ? { value: request.settings, at }
    : { notRecorded: "The request was recorded without its settings." },
})

/** The tools in a recorded list. */
export const toolsIn = (list: Json | undefined): ReadonlyArray<SeenTool> =>
  listOf(list).map((tool) => {
    const { name, description, args } = asObject(tool)
    return {
      name: typeof name === "string" ? name : "",
      description: typeof description === "string" ? description : undefined,
      schema: args,
    }
  })
