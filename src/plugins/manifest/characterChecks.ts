/**
 * Limits the text in a manifest: its length, and no invisible characters or terminal controls. Names and versions reach
 * event envelopes, file names and terminals; people decide by descriptions, and agents read them. A type schema cannot
 * express these limits.
 */

import { type Json, pointerToken, valueAt } from "../../values/Json.ts"
import { isVisible, visible } from "../../values/PlainText.ts"
import { grouped } from "./digits.ts"
import type { SourceLocation } from "./sourceLocations.ts"

/** Maximum lengths, in characters. */
export const MAX_LENGTHS = {
  /** A plugin's or component's name, or a version: part of event fields. */
  name: 64,
  /** A measure's, reward's or environment's name: shown on one line. */
  title: 200,
  /** A path, host, variable or command. */
  place: 1024,
  /** A description, condition or rule: may span lines. */
  prose: 8192,
  /** A system prompt or memory. */
  prompt: 65_536,
} as const

type Kind = keyof typeof MAX_LENGTHS

/**
 * The texts of a manifest by path; `*` matches each item of a list. Metadata, variables and schemas are data with
 * limits of their own.
 */
const TEXT_PATHS: ReadonlyArray<readonly [place: string, kind: Kind]> = [
  ["name", "name"],
  ["version", "name"],
  ["description", "prose"],
  ["entry", "place"],
  ["precomputed/module", "place"],
  ["$schema", "place"],
  ...["read", "run", "write", "net", "env"].map((field) => [`permissions/${field}/*`, "place"] as const),
  ["peas/sensors/*/name", "name"],
  ["peas/sensors/*/description", "prose"],
  ["peas/actuators/*/name", "name"],
  ["peas/actuators/*/description", "prose"],
  ["peas/environment/name", "title"],
  ["peas/environment/description", "prose"],
  ["peas/environment/rules/*", "prose"],
  ["peas/environment/conventions/*", "prose"],
  ["peas/environment/scenario", "place"],
  ["peas/environment/viewHtml", "place"],
  ["listeners/*/name", "name"],
  ["listeners/*/description", "prose"],
  ["guides/*/name", "name"],
  ["guides/*/description", "prose"],
  ["guides/*/systemPrompt", "prompt"],
  ["guides/*/file", "place"],
  ["guides/*/initialMemories/*", "prose"],
  ["provider/description", "prose"],
  ["provider/models/*/name", "title"],
  ["provider/models/*/description", "prose"],
  ["peas/performance/*/name", "title"],
  ["peas/performance/*/description", "prose"],
  ...["rewards", "punishments"].flatMap((list) => [
    [`peas/performance/*/${list}/*/name`, "title"] as const,
    [`peas/performance/*/${list}/*/when`, "prose"] as const,
    [`peas/performance/*/${list}/*/rule`, "prose"] as const,
  ]),
]

/** Every text of a manifest that is too long or contains misleading characters. */
export const textIssues = (document: Json): ReadonlyArray<ManifestIssue> =>
  TEXT_PATHS.flatMap(([place, kind]) =>
    textsAt(document, [], place.split("/")).flatMap(({ keys, text }) => {
      const found = problemOf(text, kind)
      const path = keys.map((key) => `/${pointerToken(key)}`).join("")
      return found === undefined ? [] : [{ path, expected: EXPECTED[kind], found }]
    }),
  )

/** Checks the text of a system prompt's file. Undefined if it is fine. */
export const promptIssue = (path: string, text: string): ManifestIssue | undefined => {
  const found = problemOf(text, "prompt")
  return found === undefined ? undefined : { path, expected: `a file with ${EXPECTED.prompt}`, found }
}

const expectationOf = (kind: Kind, lines: string) =>
  `${lines} of at most ${grouped(MAX_LENGTHS[kind])} characters, without invisible or control characters`

const EXPECTED: { readonly [kind in Kind]: string } = {
  name: expectationOf("name", "a line"),
  title: expectationOf("title", "a line"),
  place: expectationOf("place", "a line"),
  prose: expectationOf("prose", "text"),
  prompt: expectationOf("prompt", "text"),
}

const problemOf = (text: string, kind: Kind): string | undefined => {
  if (text.length > MAX_LENGTHS[kind]) return `${grouped(text.length)} characters`
  const line = kind === "prose" || kind === "prompt" ? text.replaceAll(/[\r\n\t]/g, " ") : text
  return isVisible(line) ? undefined : `"${visible(line).slice(0, SHOWN_LENGTH)}"`
}

/** Maximum length of text that an issue quotes, in characters. */
const SHOWN_LENGTH = 100

interface FoundText {
  readonly keys: ReadonlyArray<string>
  readonly text: string
}

const textsAt = (
  document: Json,
  keys: ReadonlyArray<string>,
  [next, ...rest]: ReadonlyArray<string>,
): ReadonlyArray<FoundText> => {
  if (next === undefined) {
    const text = valueAt(document, keys)
    return typeof text === "string" ? [{ keys, text }] : []
  }
  if (next !== "*") return textsAt(document, [...keys, next], rest)
  const list = valueAt(document, keys)
  return Array.isArray(list) ? list.flatMap((_, index) => textsAt(document, [...keys, String(index)], rest)) : []
}

/** A mistake in a manifest. */
export interface ManifestIssue {
  /** A JSON Pointer (RFC 6901), such as `/peas/sensors/0/name`; `""` for the whole document. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** The location in the file, if its text is known. */
  readonly place?: SourceLocation
}
