/** A message of a request to a model as the log has it. Programs, imports and edited logs may have written any JSON. */

import type { Json } from "../../values/Json.ts"
import { fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"

/** A message: its author's role, and its parts. */
export interface RequestMessage {
  readonly role: string
  /** A list of parts, or whatever JSON was recorded. */
  readonly content: unknown
}

/** A message of a request, with the events that it comes from. */
export interface SeenMessage {
  /** `system`, `user`, `assistant`, `tool`; `unknown` if the log names none. */
  readonly role: string
  readonly content: Json
  /** The position of the event that records it: a request, an answer, or a summary. */
  readonly at: number
  /** Positions of the events behind it, if known: the task's opening, inputs, and outcomes of calls. */
  readonly sources: ReadonlyArray<number>
}

/** A list, or no items for anything else. */
export const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** The messages in a recorded list. An item of another form is a message of an unknown role. */
export const messagesIn = (value: unknown, at: number): ReadonlyArray<SeenMessage> =>
  listOf(value).map((item) =>
    isObject(item)
      ? { role: textOf(item.role) ?? "unknown", content: item.content ?? null, at, sources: [] }
      : { role: "unknown", content: item, at, sources: [] },
  )

/** The message of an answer, as the next request sends it back; none if the answer has another form. */
export const answerMessage = (response: unknown, at: number): ReadonlyArray<SeenMessage> => {
  const parts = Array.isArray(response) ? response : fieldOf(response, "parts")
  return Array.isArray(parts) ? [{ role: "assistant", content: parts as ReadonlyArray<Json>, at, sources: [] }] : []
}

/**
 * Whether the next request sends this part of an interrupted answer back: only text. Its calls have no results, and
 * providers accept reasoning only as a whole.
 */
export const isKept = ({ type, text }: { readonly type?: unknown; readonly text?: unknown }): boolean =>
  type === "text" && typeof text === "string" && text.trim() !== ""
