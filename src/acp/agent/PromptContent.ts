/** A prompt's blocks as words of a person and as content for a model. Pure. */

import type { ContentPart } from "../../agents/models/Message.ts"
import { textOf } from "../../values/JsonObjects.ts"
import type { Block } from "./Params.ts"

export interface PromptContent {
  /** The text, with references to files and the text of embedded ones. */
  readonly text: string
  /** Images, sounds and binary files. */
  readonly files: ReadonlyArray<ContentPart>
}

/** Reads a prompt. Blocks of an unknown type become a short mark, so that the model knows of them. */
export const of = (blocks: ReadonlyArray<Block>): PromptContent => {
  const texts: Array<string> = []
  const files: Array<ContentPart> = []
  for (const block of blocks) {
    const file = fileOf(block)
    if (file !== undefined) files.push(file)
    else texts.push(wordsOf(block))
  }
  return { text: texts.filter((text) => text !== "").join("\n"), files }
}

export const inputOf = ({ text, files }: PromptContent): string | ReadonlyArray<ContentPart> =>
  files.length === 0 ? text : [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...files]

const UNKNOWN_MEDIA = "application/octet-stream"

const fileOf = ({ type, data, mimeType, resource }: Block): ContentPart | undefined => {
  const content = type === "resource" ? resource?.blob : type === "image" || type === "audio" ? data : undefined
  if (typeof content !== "string") return undefined
  const media = textOf(type === "resource" ? resource?.mimeType : mimeType) ?? UNKNOWN_MEDIA
  return { type: "file", mediaType: media, data: content }
}

const wordsOf = ({ type, text, uri, name, resource }: Block): string => {
  if (type === "text") return text ?? ""
  if (type === "resource_link" && typeof uri === "string") return `[@${textOf(name) ?? uri}](${uri})`
  if (type === "resource" && typeof resource?.text === "string") {
    return `[@${resource.uri}](${resource.uri})\n${fenced(resource.text)}`
  }
  return `[${type}]`
}

/** A fence longer than any in the text, so that the text cannot end it. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
