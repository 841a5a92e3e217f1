/**
 * Reads the contents of a request to a model: the system prompt, messages of people and programs, and results of calls.
 */

import type { Json } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { type Content, contentOf, isText, listOf } from "./Parts.ts"

export interface Request {
  /** The system prompt; null if the request does not say it, or says that it has not changed. */
  readonly system: string | null
  /** Instructions within the conversation. */
  readonly instructions: ReadonlyArray<string>
  readonly messages: ReadonlyArray<Content>
  /** By the model's call ids. */
  readonly results: ReadonlyMap<string, { readonly result: Json; readonly isError: boolean }>
}

/** A request as kernels, recorders and imports write it: its new messages. */
export const read = (request: Json | undefined): Request => {
  const { system, messages } = asObject(request)
  const told = listOf(messages).map(asObject)
  const of = (role: string) => told.filter((message) => message.role === role)
  return {
    system: isText(system) && system !== "" ? system : null,
    instructions: of("system")
      .map(({ content }) => contentOf(content).text)
      .filter((text) => text !== ""),
    messages: of("user").flatMap(({ content }) => (isText(content) ? [content] : listOf(content)).flatMap(partOf)),
    results: new Map(
      of("tool")
        .flatMap(({ content }) => listOf(content).map(asObject))
        .flatMap(({ callId, content, isError }) =>
          isText(callId) ? [[callId, { result: content ?? null, isError: isError === true }] as const] : [],
        ),
    ),
  }
}

const partOf = (part: Json): ReadonlyArray<Content> => {
  const content = contentOf(isText(part) ? part : [part])
  return content.text.trim() === "" && content.files.length === 0 ? [] : [content]
}
