/** Writes a model's request in the notation of the AI SDK's providers (`LanguageModelV3`). */

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider"
import { defined } from "../../../values/defined.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as Files from "../Files.ts"
import type { AnswerPart, CallPart, ContentPart, Message, ToldPart, ToolResult } from "../Message.ts"
import type { ToolChoice, ToolDescription, TurnRequest } from "../Model.ts"

/**
 * Omits text of spaces alone, which some providers reject, and empty messages. A file that the provider's models do not
 * accept becomes text. A file that they accept, but not within the result of a tool, follows the results in a message
 * of the user.
 *
 * @param wished the provider's options for what the request asks by common names; its own options win
 */
export const callOptions = (
  request: TurnRequest,
  { looseTools = false, files = NO_FILES, providerOptions = {} }: ProviderTraits = {},
  wished: { readonly [provider: string]: JsonObject } = {},
): LanguageModelV3CallOptions => ({
  prompt: [
    ...(request.system === "" ? [] : [{ role: "system" as const, content: request.system }]),
    ...request.messages.flatMap((message) => messagesOf(message, files)).filter(({ content }) => content.length > 0),
  ],
  ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toolOf(tool, looseTools)) }),
  ...(request.toolChoice === undefined || request.tools.length === 0
    ? {}
    : { toolChoice: choiceOf(request.toolChoice) }),
  ...optionsOfRequest(providerOptions, wished, request.providerOptions ?? {}),
  ...defined({ temperature: request.temperature, maxOutputTokens: request.maxOutputTokens }),
})

/** Traits of a provider's models that change a request. */
export interface ProviderTraits {
  /** Whether tools declare that their schema must not be made strict. */
  readonly looseTools?: boolean
  readonly files?: Files.FileSupport
  /** Options of every request, which those of a request override one by one. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
}

const choiceOf = (choice: ToolChoice): NonNullable<LanguageModelV3CallOptions["toolChoice"]> =>
  typeof choice === "string" ? { type: choice } : { type: "tool", toolName: nameOf(choice.tool) }

const optionsOfRequest = (
  ...weakestFirst: ReadonlyArray<{ readonly [provider: string]: JsonObject }>
): Pick<LanguageModelV3CallOptions, "providerOptions"> => {
  const names = [...new Set(weakestFirst.flatMap(Object.keys))]
  if (names.length === 0) return {}
  const together = (name: string): JsonObject => Object.assign({}, ...weakestFirst.map((options) => options[name]))
  return { providerOptions: optionsOf(Object.fromEntries(names.map((name) => [name, together(name)]))) }
}

const toolOf = ({ name, description, args }: ToolDescription, loose: boolean): LanguageModelV3FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: args,
  ...(loose ? { strict: false } : {}),
})

const NO_FILES: Files.FileSupport = { inResults: [], inMessages: [] }

const messagesOf = (message: Message, files: Files.FileSupport): ReadonlyArray<LanguageModelV3Message> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content.flatMap(textsIn).join("\n") }]
    case "unknown":
      return []
    case "user": {
      let number = 0
      const content = message.content.flatMap((part) =>
        part.type === "item" ? [] : [part.type === "file" ? toldFile(part, ++number, files) : part],
      )
      return [{ role: "user", content: content.filter(isNotEmpty).map((part) => ({ ...part })) }]
    }
    case "assistant":
      return [{ role: "assistant", content: message.content.filter(isNotEmpty).flatMap(answerPart) }]
    case "tool": {
      const results = message.content.map((result) => resultOf(result, files))
      const after = results.flatMap(({ after }) => after)
      return [
        { role: "tool", content: results.map(({ part }) => part) },
        ...(after.length === 0 ? [] : [{ role: "user" as const, content: after }]),
      ]
    }
  }
}

const toldFile = (file: Files.File, number: number, { inMessages }: Files.FileSupport): ContentPart => {
  const problem = Files.problemIn(file)
  if (problem !== undefined) return refusal(file, number, problem)
  const text = Files.textIn(file)
  if (text !== undefined) return { type: "text", text: `${Files.nameOf(file, number)}\n${text}` }
  if (!Files.isOneOf(file, inMessages)) return refusal(file, number, "this model takes no files of this type")
  return { type: "file", mediaType: Files.typeOf(file.mediaType), data: file.data }
}

const refusal = (file: Files.File, number: number, why: string): ContentPart => ({
  type: "text",
  text: `${Files.nameOf(file, number)} cannot be shown: ${why}.`,
})

const textsIn = (part: ToldPart): ReadonlyArray<string> => (part.type === "text" ? [part.text] : [])

const isNotEmpty = (part: { readonly type: string; readonly text?: string }): boolean =>
  part.type !== "text" || part.text?.trim() !== ""

/** Maximum length of a tool's name that all providers accept. */
const LONGEST_NAME = 64

/** A valid tool name. A model may have called a tool by a name that providers reject. */
const nameOf = (tool: string): string => tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unnamed"

type AssistantPart = Exclude<Extract<LanguageModelV3Message, { readonly role: "assistant" }>["content"], string>[number]

/** A part of an answer as it goes back. Only its provider can handle a tool that it ran itself. */
const answerPart = (part: AnswerPart): ReadonlyArray<AssistantPart> => {
  if (part.type === "hosted" || part.type === "item") return []
  if (part.type === "file") return [{ type: "file" as const, mediaType: part.mediaType, data: part.data }]
  const back = part.providerMetadata === undefined ? {} : { providerOptions: optionsOf(part.providerMetadata) }
  return part.type === "call"
    ? [
        {
          type: "tool-call" as const,
          toolCallId: part.callId,
          toolName: nameOf(part.tool),
          input: inputOf(part),
          ...back,
        },
      ]
    : [{ type: part.type, text: part.text, ...back }]
}

const optionsOf = (metadata: JsonObject) =>
  // The log's JSON, which the package's type wants to be mutable.
  structuredClone(Object.fromEntries(Object.entries(metadata).filter(([, value]) => isObject(value)))) as never

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Providers accept only an object. Anything else goes back as its field `arguments`. */
const inputOf = ({ args, invalid }: CallPart): Json => (invalid !== true && isObject(args) ? args : { arguments: args })

const resultOf = ({ callId, tool, isError, content }: ToolResult, support: Files.FileSupport) => {
  const { json, files } = Files.separated(content)
  const within: Array<ResultContent> = []
  const after: Array<ContentPart> = []
  for (const [index, file] of files.entries()) {
    const told = toldFile(file, index + 1, support)
    if (told.type === "file" && (isError || !Files.isOneOf(file, support.inResults))) after.push(told)
    else within.push(told.type === "file" ? contentOf(told, index + 1) : told)
  }
  const words = [json, ...within.flatMap((part) => (part.type === "text" ? [part.text] : []))]
  const shown = within.filter(({ type }) => type !== "text")
  return {
    part: {
      type: "tool-result" as const,
      toolCallId: callId,
      toolName: nameOf(tool),
      output: outputOf(isError, words.length === 1 ? json : words.map(asText).join("\n"), shown),
    },
    after:
      after.length === 0
        ? []
        : [{ type: "text" as const, text: `Files of the result of ${tool} (${callId}):` }, ...after],
  }
}

const asText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

type ResultContent = Extract<LanguageModelV3ToolResultOutput, { readonly type: "content" }>["value"][number]

const contentOf = ({ mediaType, data }: Files.File, number: number): ResultContent =>
  mediaType.startsWith("image/")
    ? { type: "image-data", mediaType, data }
    : { type: "file-data", mediaType, data, filename: `file-${number}.${mediaType.split("/")[1] ?? "bin"}` }

const outputOf = (
  isError: boolean,
  content: Json,
  shown: ReadonlyArray<ResultContent>,
): LanguageModelV3ToolResultOutput => {
  if (shown.length > 0) return { type: "content", value: [{ type: "text", text: asText(content) }, ...shown] }
  if (typeof content === "string") return { type: isError ? "error-text" : "text", value: content }
  // The log's JSON, which the package's type wants to be mutable.
  return { type: isError ? "error-json" : "json", value: structuredClone(content) as never }
}
