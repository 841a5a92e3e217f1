/** Writes what a model is asked in the notation of the AI SDK's providers (`LanguageModelV3`). */

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider"
import type { Json, JsonObject } from "../../../values/Json.ts"
import type { AnswerPart, CallPart, Message, ToolResult } from "../Message.ts"
import type { ToolDescription, TurnRequest } from "../Model.ts"

/**
 * The options of one call. Text of spaces alone, which some providers refuse, is left out, and so is a message that would be empty.
 *
 * @param looseTools whether tools say that their schema is not to be made strict
 */
export const callOptions = (request: TurnRequest, looseTools: boolean): LanguageModelV3CallOptions => ({
  prompt: [
    ...(request.system === "" ? [] : [{ role: "system" as const, content: request.system }]),
    ...request.messages.map(messageOf).filter(({ content }) => content.length > 0),
  ],
  ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toolOf(tool, looseTools)) }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
})

const toolOf = ({ name, description, args }: ToolDescription, loose: boolean): LanguageModelV3FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: args,
  ...(loose ? { strict: false } : {}),
})

const messageOf = (message: Message): LanguageModelV3Message => {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.filter(isNotEmpty).map((part) => ({ ...part })) }
    case "assistant":
      return { role: "assistant", content: message.content.filter(isNotEmpty).map(answerPart) }
    case "tool":
      return { role: "tool", content: message.content.map(resultOf) }
  }
}

const isNotEmpty = (part: { readonly type: string; readonly text?: string }): boolean =>
  part.type !== "text" || part.text?.trim() !== ""

/** Longest name of a tool that all providers take. */
const LONGEST_NAME = 64

/** The name of a tool as providers take it. A model may have called one by a name that they refuse. */
const nameOf = (tool: string): string => tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unnamed"

const answerPart = (part: AnswerPart) => {
  const back = part.providerMetadata === undefined ? {} : { providerOptions: optionsOf(part.providerMetadata) }
  return part.type === "call"
    ? {
        type: "tool-call" as const,
        toolCallId: part.callId,
        toolName: nameOf(part.tool),
        input: inputOf(part),
        ...back,
      }
    : { type: part.type, text: part.text, ...back }
}

/** Metadata came from the provider as an object of objects by provider, and go back as they came. */
const optionsOf = (metadata: JsonObject) =>
  // JSON as the log has it, which the package's type wants to be mutable.
  structuredClone(Object.fromEntries(Object.entries(metadata).filter(([, value]) => isObject(value)))) as never

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Providers take an object only. What the model wrote instead goes back as `arguments` of one. */
const inputOf = ({ args, invalid }: CallPart): Json => (invalid !== true && isObject(args) ? args : { arguments: args })

const resultOf = ({ callId, tool, isError, content }: ToolResult) => ({
  type: "tool-result" as const,
  toolCallId: callId,
  toolName: nameOf(tool),
  output: outputOf(isError, content),
})

const outputOf = (isError: boolean, content: Json): LanguageModelV3ToolResultOutput => {
  if (typeof content === "string") return { type: isError ? "error-text" : "text", value: content }
  // JSON as the log has it, which the package's type wants to be mutable.
  return { type: isError ? "error-json" : "json", value: structuredClone(content) as never }
}
