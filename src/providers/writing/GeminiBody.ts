/** Writes requests of Gemini's `generateContent`. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { argumentsObject, metadataOf, partsOf, unlessEmpty, type Writable, words } from "./Written.ts"

/** A request of `:generateContent`. */
export const write = ({ system, tools, settings, messages, isOwnFormat }: Writable): JsonObject => {
  const { temperature, ...others } = settings
  return {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: messages.map(({ role, content }) => ({
      role: role === "assistant" ? "model" : "user",
      parts: partsOf(content).flatMap((part) => partOf(part, isOwnFormat)),
    })),
    ...(tools.length === 0
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, schema }) => ({
                name,
                ...unlessEmpty("description", description ?? ""),
                ...(schema === undefined ? {} : { parametersJsonSchema: schema }),
              })),
            },
          ],
        }),
    ...(temperature === undefined ? {} : { generationConfig: { temperature } }),
    ...others,
  }
}

const partOf = (part: JsonObject, isOwnFormat: boolean): ReadonlyArray<Json> => {
  const { thoughtSignature } = metadataOf(part, "google")
  const signed = typeof thoughtSignature === "string" ? { thoughtSignature } : {}
  switch (part.type) {
    case "text":
      return [{ text: words(part.text), ...signed }]
    case "reasoning":
      return [{ text: words(part.text), thought: true, ...signed }]
    case "call":
      return [{ functionCall: { name: part.tool ?? "", args: argumentsObject(part) }, ...signed }]
    case "file":
      return [{ inlineData: { mimeType: words(part.mediaType), data: words(part.data) } }]
    case "item":
      return [part.item ?? null]
    case "hosted":
      return []
    default: {
      const { content = null, tool = "" } = part
      return [
        {
          functionResponse: {
            name: tool,
            response: isOwnFormat && isObject(content) ? content : { name: tool, content },
          },
        },
      ]
    }
  }
}
