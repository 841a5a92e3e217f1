/** Shortens JSON values that would fill an answer, and says how to read the rest. */

import * as JsonPointer from "../../../projections/patch/JsonPointer.ts"
import type { Json } from "../../../values/Json.ts"
import * as Text from "../../terminal/Text.ts"
import * as Answer from "./Answer.ts"

/** Maximum length of a text within a value, in characters. */
const TEXT_LENGTH = 400

/** Maximum number of members of an object or a list that are shown. */
const MEMBERS = 24

/** Maximum size of a value that is shown whole, in bytes. */
const WHOLE_BYTES = 4_000

/** Maximum number of cuts that an answer explains. */
const EXPLAINED = 3

/** Characters of one text in an answer. */
const PART = 8_000

/** The call that shows the part at a JSON Pointer, from this character of a text on. */
export type CallOf = (path: string, offset: number) => Answer.Call

export interface Shortened {
  readonly value: Json
  readonly next: NonNullable<Answer.Answer["next"]>
}

/** The value with long texts, lists and objects cut, and calls that read the rest. */
export const shortened = (value: Json, call: CallOf, path = ""): Shortened => {
  if (Text.json(value).length <= WHOLE_BYTES) return { value, next: [] }
  const cuts: Array<readonly [call: Answer.Call, reason: string]> = []
  const pointer = (keys: ReadonlyArray<string>) => path + JsonPointer.write(keys)
  const short = (one: Json, at: ReadonlyArray<string>): Json => {
    if (typeof one === "string") {
      if (one.length <= TEXT_LENGTH) return one
      const end = wholeEnd(one, TEXT_LENGTH)
      cuts.push([call(pointer(at), end), `the rest of a text of ${one.length} characters`])
      return `${one.slice(0, end)}… (${one.length} characters)`
    }
    if (Array.isArray(one)) {
      const members = one.slice(0, MEMBERS).map((member, index) => short(member, [...at, String(index)]))
      if (one.length <= MEMBERS) return members
      cuts.push([call(pointer([...at, String(MEMBERS)]), 0), `the next of ${one.length} items`])
      return [...members, `… (${one.length} items)`]
    }
    if (typeof one !== "object" || one === null) return one
    const entries = Object.entries(one)
    const members = entries.slice(0, MEMBERS).map(([key, member]) => [key, short(member, [...at, key])] as const)
    if (entries.length <= MEMBERS) return Object.fromEntries(members)
    const rest = entries.slice(MEMBERS).map(([key]) => key)
    cuts.push([call(pointer([...at, rest[0] ?? ""]), 0), `the next of ${entries.length} members`])
    return {
      ...Object.fromEntries(members),
      "…": `${rest.length} more members: ${Text.shorten(rest.join(", "), TEXT_LENGTH)}`,
    }
  }
  return { value: short(value, []), next: cuts.slice(0, EXPLAINED) }
}

/** The last place up to `end` that is not in the middle of a surrogate pair. */
const wholeEnd = (text: string, end: number): number =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(end - 1, end + 1)) ? end - 1 : end

/** How to see the rest of JSON that does not fit into an answer. */
export const cutShort = (remaining: number): string =>
  `${Text.count(remaining, "line")} more: ask for one part of it by its JSON Pointer.`

export interface Part {
  readonly path: string
  readonly offset: number
  readonly call: CallOf
  readonly head: ReadonlyArray<string>
}

/** The answer that shows one value: a text from an offset on, or JSON with cuts. */
export const answer = (value: Json, { path, offset, call, head }: Part): Answer.Answer => {
  if (typeof value !== "string") {
    const { value: short, next } = shortened(value, call, path)
    const { lines, remaining } = Answer.cut(Text.json(short, 2).split("\n"))
    if (remaining === 0) return { head, lines, next }
    return { head, lines, foot: [cutShort(remaining)], next }
  }
  // An offset in the middle of a character begins at that character.
  const start = wholeEnd(value, offset)
  const end = wholeEnd(value, start + PART)
  const lines = value.slice(start, end).split("\n")
  if (value.length <= end) return { head, lines }
  return {
    head,
    lines,
    foot: [`Characters ${start + 1} to ${end} of ${value.length}.`],
    next: [[call(path, end), "the following characters"]],
  }
}
