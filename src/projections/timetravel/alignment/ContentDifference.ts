/** The differences between two events of a row: paths within their contents, with the words that differ. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import type { PatchOperation } from "../../../events/vocabulary/Sensing.ts"
import { shorten, value } from "../../../values/Formats.ts"
import type { Json } from "../../../values/Json.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as JsonPatch from "../../patch/JsonPatch.ts"
import { type WithBefore, withBefore } from "../../patch/ReplacedValues.ts"
import * as WordDifference from "../../patch/WordDifference.ts"
import * as EventContent from "./EventContent.ts"

/** A place that differs. Its parts are for people: on one line, and shortened. */
export interface ContentDifference {
  /** JSON Pointer within the content; empty for all of it. */
  readonly path: string
  readonly kind: "changed" | "added" | "removed"
  /** The values, or the words of two texts. Stretches that both have are shortened. */
  readonly parts: ReadonlyArray<WordDifference.WordPart>
}

/** The differences of two events. */
export interface ContentDifferences {
  readonly shown: ReadonlyArray<ContentDifference>
  /** The number of further places that differ. */
  readonly more: number
}

/** Maximum number of places. */
const MAX_PLACES = 12

/** Maximum length of a text whose words are compared, and of a shown value, in characters. */
const MAX_TEXT = 20_000
const VALUE_LENGTH = 160

/** Maximum number of parts of one place, and characters of an equal stretch that are shown on each side. */
const MAX_PARTS = 40
const CONTEXT = 24

/** Compares the contents of two events, without the parts that differ between any two runs. */
export const between = (a: Event, b: Event): ContentDifferences => {
  const before = EventContent.of(a)
  const operations = JsonPatch.diff(before, EventContent.of(b))
  const changes = withBefore(before, operations.slice(0, MAX_PLACES))
  return { shown: changes.map(placeOf), more: operations.length - changes.length }
}

const placeOf = (change: WithBefore<PatchOperation>): ContentDifference => {
  const path = oneLine(shorten(change.path, VALUE_LENGTH))
  if (change.op === "remove") return { path, kind: "removed", parts: [{ mark: "-", text: shown(change.before) }] }
  if (change.op === "add") return { path, kind: "added", parts: [{ mark: "+", text: shown(change.value) }] }
  return { path, kind: "changed", parts: partsOf(change.before, change.value) }
}

const partsOf = (before: Json | undefined, after: Json): ReadonlyArray<WordDifference.WordPart> => {
  const areTexts = typeof before === "string" && typeof after === "string"
  if (!areTexts || before.length > MAX_TEXT || after.length > MAX_TEXT)
    return [
      { mark: "-", text: shown(before) },
      { mark: "+", text: shown(after) },
    ]
  const parts = joined(WordDifference.between(before, after))
  const kept = parts.slice(0, MAX_PARTS).map(({ mark, text }, index) => ({
    mark,
    text: mark === " " ? excerpt(text, index === 0, index === parts.length - 1) : oneLine(shorten(text, VALUE_LENGTH)),
  }))
  return parts.length > MAX_PARTS ? [...kept, { mark: " ", text: " …" }] : kept
}

/** Joins edits with nothing but spaces between them, so that a replaced phrase is one removal and one addition. */
const joined = (parts: ReadonlyArray<WordDifference.WordPart>): ReadonlyArray<WordDifference.WordPart> => {
  const all: Array<WordDifference.WordPart> = []
  let [removed, added, spaces] = ["", "", ""]
  const flush = () => {
    if (removed !== "") all.push({ mark: "-", text: removed })
    if (added !== "") all.push({ mark: "+", text: added })
    if (spaces !== "") all.push({ mark: " ", text: spaces })
    removed = added = spaces = ""
  }
  for (const { mark, text } of parts) {
    if (mark === " " && text.trim() === "" && removed + added !== "") spaces += text
    else if (mark === " ") {
      flush()
      all.push({ mark, text })
    } else {
      removed += spaces
      added += spaces
      spaces = ""
      if (mark === "-") removed += text
      else added += text
    }
  }
  flush()
  return all
}

const shown = (of: Json | undefined): string =>
  typeof of === "string"
    ? oneLine(shorten(of.slice(0, 4 * VALUE_LENGTH), VALUE_LENGTH))
    : oneLine(value(of, VALUE_LENGTH))

/** The ends of an equal stretch that lie next to a difference. */
const excerpt = (text: string, isFirst: boolean, isLast: boolean): string => {
  const characters = [...text]
  const head = isFirst ? 0 : CONTEXT
  const tail = isLast ? 0 : CONTEXT
  if (characters.length <= head + tail + 1) return oneLine(text)
  return oneLine(`${characters.slice(0, head).join("")}…${tail === 0 ? "" : characters.slice(-tail).join("")}`)
}
