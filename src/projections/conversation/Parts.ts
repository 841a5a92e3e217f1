/** Reads messages and answers as the log has them. Other programs wrote some of them, so any form is possible. */

import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as ModelCallEnd from "../state/ModelCallEnd.ts"
import type { File, Use, Wanted } from "./Item.ts"

export const isText = (value: Json | undefined): value is string => typeof value === "string"

export const textOr = (value: Json | undefined): string | null => (isText(value) && value !== "" ? value : null)

/** A number that can be one of something; null for everything else. */
export const countOr = (value: Json | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

export const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

export interface Content {
  readonly text: string
  readonly files: ReadonlyArray<File>
}

/** The text and the files of a message's content. Other parts appear as placeholders. */
export const contentOf = (content: Json | undefined): Content => {
  if (isText(content)) return { text: content, files: [] }
  const parts = listOf(content).map(asObject)
  return { text: parts.flatMap(shown).join("\n"), files: parts.flatMap(fileIn) }
}

const shown = (part: JsonObject): ReadonlyArray<string> => {
  if (isText(part.text)) return [part.text]
  return fileIn(part).length > 0 ? [] : [`[${textOr(part.mediaType) ?? textOr(part.type) ?? "part"}]`]
}

const fileIn = ({ type, mediaType, data }: JsonObject): ReadonlyArray<File> =>
  type === "file" && isText(mediaType) && isText(data) && data !== "" ? [{ mediaType, data }] : []

/** An answer as its parts. `wanted` are its calls, those that the provider ran included. */
export interface Answered extends Content {
  readonly reasoning: string
  readonly wanted: ReadonlyArray<Wanted>
}

/** An answer, or undefined if it has no parts that can be read. */
export const answerOf = (response: Json | undefined): Answered | undefined => {
  // Failures of imported runs are lists of parts.
  const all = listOf(Array.isArray(response) ? response : asObject(response).parts).filter(isObject)
  const parts = all.filter(
    (part) => isText(part.text) || words(part).length + fileIn(part).length + wantedIn(part).length > 0,
  )
  if (parts.length === 0) return undefined
  return {
    text: parts.flatMap(words).join(""),
    reasoning: parts.flatMap(({ type, text }) => (type === "reasoning" && isText(text) ? [text] : [])).join(""),
    files: parts.flatMap(fileIn),
    wanted: parts.flatMap(wantedIn),
  }
}

const words = (part: JsonObject): ReadonlyArray<string> => {
  const { type, text, kind, mediaType } = part
  if (type === "text" && isText(text)) return [text]
  // The log has these items whole.
  if (type === "item" && isText(kind)) return [`[${kind}]`]
  return type === "file" && isText(mediaType) && fileIn(part).length === 0 ? [`[a file: ${mediaType}]`] : []
}

const wantedIn = ({ type, callId, tool, args, result, isError }: JsonObject): ReadonlyArray<Wanted> => {
  if ((type !== "call" && type !== "hosted") || !isText(callId) || !isText(tool)) return []
  const wanted = { callId, tool: type === "hosted" ? `${tool}, run by the provider` : tool, args: args ?? null }
  return [result === undefined ? wanted : { ...wanted, result, ...(isError === true ? { isError } : {}) }]
}

/** Nothing is known. */
export const UNKNOWN: Use = {
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  usd: null,
}

/** The use of an answer or a failure. By the audit's rule, two counts of 0 mean that the provider reports none. */
export const useOf = ({ usage, cost }: JsonObject): Use => {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, unknown } = asObject(usage)
  const { usd } = asObject(cost)
  const counts = { inputTokens: countOr(inputTokens) ?? 0, outputTokens: countOr(outputTokens) ?? 0 }
  const dollars = countOr(usd)
  const priced = dollars === null ? {} : { cost: { usd: dollars, prices: "recorded" } }
  const end = ModelCallEnd.ofAnswer({ usage: counts, ...priced })
  const known = (name: "inputTokens" | "outputTokens", count: number | null): number | null =>
    end.metered && !listOf(unknown).includes(name) ? count : null
  return {
    inputTokens: known("inputTokens", countOr(inputTokens)),
    outputTokens: known("outputTokens", countOr(outputTokens)),
    cachedTokens: countOr(cachedTokens),
    reasoningTokens: countOr(reasoningTokens),
    usd: end.priced ? end.usd : null,
  }
}
