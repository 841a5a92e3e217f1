/** The sizes of the parts of a request. Providers count only the whole; the tokens of each part are estimates. Pure. */

import type { Json } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import { listOf, type SeenMessage } from "./RequestMessage.ts"
import type { SeenTool, WholeRequest } from "./WholeRequest.ts"

/** Characters of a token, on average, in English text and code. For an estimate only. */
export const CHARACTERS_PER_TOKEN = 4

/** The size of a part of a request, or of all messages of one role. */
export interface PartSize {
  /** `system`, `tools`, or the role of messages. */
  readonly part: string
  /** The number of tools or messages; 1 for a system prompt. */
  readonly count: number
  /** Characters of its text and JSON, without files. */
  readonly characters: number
  /** An estimate from the characters. */
  readonly estimatedTokens: number
  /** The number of files, whose tokens cannot be estimated. */
  readonly files: number
}

/** The sizes of a request's recorded parts, in order: the system prompt, the tools, and the messages by role. */
export const sizesOf = ({ system, tools, messages }: WholeRequest): ReadonlyArray<PartSize> => {
  const roles = [...new Set(messages.map(({ role }) => role))]
  return [
    ...("value" in system && system.value !== "" ? [sizeOf("system", [[system.value.length, 0]])] : []),
    ...("value" in tools && tools.value.length > 0 ? [sizeOf("tools", tools.value.map(toolSize))] : []),
    ...roles.map((role) => sizeOf(role, messages.filter((message) => message.role === role).map(messageSize))),
  ]
}

/** An estimate of the tokens of all recorded parts. */
export const estimateOf = (sizes: ReadonlyArray<PartSize>): number =>
  sizes.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0)

/** Characters, and the number of files. */
type Size = readonly [characters: number, files: number]

const sizeOf = (part: string, sizes: ReadonlyArray<Size>): PartSize => {
  const characters = sizes.reduce((sum, [one]) => sum + one, 0)
  return {
    part,
    count: sizes.length,
    characters,
    estimatedTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    files: sizes.reduce((sum, [, files]) => sum + files, 0),
  }
}

const toolSize = ({ name, description = "", schema = null }: SeenTool): Size => [
  name.length + description.length + (schema === null ? 0 : JSON.stringify(schema).length),
  0,
]

const messageSize = ({ content }: SeenMessage): Size => {
  if (!Array.isArray(content)) return lengthOf(content)
  const sizes = listOf(content).map(lengthOf)
  return [sizes.reduce((sum, [one]) => sum + one, 0), sizes.reduce((sum, [, files]) => sum + files, 0)]
}

const lengthOf = (part: Json): Size => {
  if (typeof part === "string") return [part.length, 0]
  const { type, text, tool, args, content, data } = asObject(part)
  if (type === "file") return [0, typeof data === "string" ? 1 : 0]
  if ((type === "text" || type === "reasoning") && typeof text === "string") return [text.length, 0]
  const told = [tool, args, content].filter((one) => one !== undefined)
  const shown = told.length === 0 ? [part] : told
  return [shown.reduce<number>((sum, one) => sum + (typeof one === "string" ? one : JSON.stringify(one)).length, 0), 0]
}
