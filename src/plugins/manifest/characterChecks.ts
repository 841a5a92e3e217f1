/**
 * What a manifest's text may be: bounded, and readable as it stands. Names and versions end up in the log's envelopes, in file
 * names and on terminals; descriptions are what people decide by and what agents are told. A schema of types cannot say so.
 */

import { type Json, pointerToken, valueAt } from "../../values/Json.ts"
import { isVisible, visible } from "../../values/PlainText.ts"
import { grouped } from "./digits.ts"
import type { SourceLocation } from "./sourceLocations.ts"

/** Longest text of each kind, in characters. */
export const LONGEST = {
  /** A plugin's, a component's, a version's: part of what events are named by. */
  name: 64,
  /** Of a measure, of what it rewards, of an environment: shown on one line. */
  title: 200,
  /** A path, a host, a variable, a command. */
  place: 1024,
  /** A description, a condition, a rule: may have several lines. */
  prose: 8192,
} as const

type Kind = keyof typeof LONGEST

/** Where the text of a manifest stands; `*` is each of a list. Metadata, variables and schemas are data, and bounded as such. */
const PLACES: ReadonlyArray<readonly [place: string, kind: Kind]> = [
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
  ["peas/performance/*/name", "title"],
  ["peas/performance/*/description", "prose"],
  ...["rewards", "punishments"].flatMap((list) => [
    [`peas/performance/*/${list}/*/name`, "title"] as const,
    [`peas/performance/*/${list}/*/when`, "prose"] as const,
    [`peas/performance/*/${list}/*/rule`, "prose"] as const,
  ]),
]

/** Every text of a manifest that is too long, or that would not be seen as it is. */
export const unreadable = (document: Json): ReadonlyArray<ManifestIssue> =>
  PLACES.flatMap(([place, kind]) =>
    textsAt(document, [], place.split("/")).flatMap(({ keys, text }) => {
      const found = wrong(text, kind)
      const path = keys.map((key) => `/${pointerToken(key)}`).join("")
      return found === undefined ? [] : [{ path, expected: EXPECTED[kind], found }]
    }),
  )

const plain = (kind: Kind, lines: string) =>
  `${lines} of at most ${grouped(LONGEST[kind])} characters, without any that are not seen or steer a terminal`

const EXPECTED: { readonly [kind in Kind]: string } = {
  name: plain("name", "a line"),
  title: plain("title", "a line"),
  place: plain("place", "a line"),
  prose: plain("prose", "text"),
}

const wrong = (text: string, kind: Kind): string | undefined => {
  if (text.length > LONGEST[kind]) return `${grouped(text.length)} characters`
  const line = kind === "prose" ? text.replaceAll(/[\r\n\t]/g, " ") : text
  return isVisible(line) ? undefined : `"${visible(line).slice(0, SHOWN)}"`
}

/** Characters of a text that an issue shows. */
const SHOWN = 100

interface Found {
  readonly keys: ReadonlyArray<string>
  readonly text: string
}

const textsAt = (
  document: Json,
  keys: ReadonlyArray<string>,
  [next, ...rest]: ReadonlyArray<string>,
): ReadonlyArray<Found> => {
  if (next === undefined) {
    const text = valueAt(document, keys)
    return typeof text === "string" ? [{ keys, text }] : []
  }
  if (next !== "*") return textsAt(document, [...keys, next], rest)
  const list = valueAt(document, keys)
  return Array.isArray(list) ? list.flatMap((_, index) => textsAt(document, [...keys, String(index)], rest)) : []
}

/** One thing that is wrong in a manifest. */
export interface ManifestIssue {
  /** Where: a JSON Pointer (RFC 6901), such as `/peas/sensors/0/name`; `""` is the whole document. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** Where it stands in the file, where the text is at hand. */
  readonly place?: SourceLocation
}
