/** Reads the text of a scenario, YAML or JSON, and finds the line and column of each of its parts. */

import { Effect, Either } from "effect"
import type { Node, YAMLMap } from "yaml"
import * as YamlDepth from "../../kernel/rules/YamlDepth.ts"
import { findNonJson, type Json, pointerKeys, pointerToken } from "../../values/Json.ts"

/** A location in a text, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A document with the places of its parts. */
export interface Source {
  readonly document: Json
  /**
   * Returns the place of the part at a JSON Pointer; for a field, the place of its name. A missing part has the place
   * of its parent.
   */
  readonly placeOf: (pointer: string) => Place
}

/** A flaw in a document, without its place. */
export interface Flaw {
  /** A JSON Pointer. */
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** A flaw with its place. */
export interface Mistake extends Flaw {
  readonly place: Place
}

/** Maximum length of a scenario's text, in characters. */
export const MAX_LENGTH = 1_000_000

/** Maximum number of uses of YAML aliases, which could expand a small file. */
const MAX_ALIASES = 100

/** Maximum number of values, counting aliases each time: as many as the longest text without aliases can have. */
const MAX_VALUES = MAX_LENGTH / 2

/** Maximum nesting of lists and objects. */
const MAX_LEVELS = 100

/** A parsed text, or its mistakes. */
export type Parsed = Either.Either<Source, ReadonlyArray<Mistake>>

const START: Place = { line: 1, column: 1 }

/**
 * Parses YAML, including JSON, to a JSON value. Empty fields count as missing.
 *
 * @param maxValues maximum number of values, counting aliases each time
 */
export const parse = (given: string, maxValues = MAX_VALUES): Effect.Effect<Parsed> => {
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given
  if (text.length > MAX_LENGTH) {
    const expected = `a text of at most ${MAX_LENGTH} characters`
    return Effect.succeed(Either.left([{ path: "", expected, found: `${text.length}`, place: START }]))
  }
  if (YamlDepth.isTooDeep(text)) {
    const expected = `at most ${MAX_LEVELS} levels of lists and objects`
    return Effect.succeed(Either.left([{ path: "", expected, found: "more", place: START }]))
  }
  // Import the YAML parser with the first file, since most programs read none. The parser is CommonJS: in a bundle, all
  // its exports are in the default one.
  return Effect.map(
    Effect.promise(() => import("yaml")),
    ({ default: yaml }) => parsedBy(yaml, text, maxValues),
  )
}

type Yaml = Pick<typeof import("yaml"), "parseDocument" | "LineCounter" | "isMap" | "isSeq" | "isScalar">

const parsedBy = (
  { parseDocument, LineCounter, isMap, isSeq, isScalar }: Yaml,
  text: string,
  maxValues: number,
): Parsed => {
  const lines = new LineCounter()
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const mistake = (path: string, expected: string, found: string, at: number): Mistake => ({
    path,
    expected,
    found,
    place: placeAt(at),
  })
  // The parser compares each key with all earlier ones; the check below takes linear time.
  let parsed: ReturnType<typeof parseDocument>
  try {
    parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: "silent" })
  } catch (cause) {
    // The parser reports most stack overflows as errors and throws the others.
    if (!(cause instanceof RangeError)) throw cause
    return Either.left([mistake("", `at most ${MAX_LEVELS} levels of lists and objects`, "more", 0)])
  }
  const broken = parsed.errors.map(({ message, pos }) =>
    OVERFLOW.test(message)
      ? mistake("", `at most ${MAX_LEVELS} levels of lists and objects`, "more", pos[0])
      : mistake("", "YAML or JSON", message, pos[0]),
  )
  if (broken.length > 0) return Either.left(broken)

  const flaws: Array<Mistake> = []
  const check = (node: unknown, path: string, level: number): void => {
    if (!isMap(node) && !isSeq(node)) return
    if (level > MAX_LEVELS) {
      flaws.push(mistake(path, `at most ${MAX_LEVELS} levels of lists and objects`, "more", node.range?.[0] ?? 0))
      return
    }
    const names = new Set<string>()
    for (const [index, item] of node.items.entries()) {
      if (!isMap(node)) {
        check(item, `${path}/${index}`, level + 1)
        continue
      }
      const { key, value } = node.items[index] ?? {}
      const name = isScalar(key) ? String(key.value) : ""
      const at = isNode(key) ? (key.range?.[0] ?? 0) : 0
      const inside = `${path}/${pointerToken(name)}`
      if (!isScalar(key) || key.value === null) flaws.push(mistake(path, "a name for each field", "none", at))
      else if (name === "__proto__") flaws.push(mistake(inside, "another name", JSON.stringify(name), at))
      else if (names.has(name)) flaws.push(mistake(inside, "each field once", "it twice", at))
      names.add(name)
      check(value, inside, level + 1)
    }
  }
  check(parsed.contents, "", 1)
  if (flaws.length > 0) return Either.left(flaws)

  const pairsOf = pairsByKey(isScalar)
  const offsetOf = (pointer: string): number => {
    let node: unknown = parsed.contents
    let offset = parsed.contents?.range?.[0] ?? 0
    for (const key of pointerKeys(pointer)) {
      if (isMap(node)) {
        const pair = pairsOf(node).get(key)
        if (pair === undefined) return offset
        offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
        node = pair.value
      } else if (isSeq(node)) {
        const item = node.items[Number(key)]
        if (!isNode(item)) return offset
        offset = item.range?.[0] ?? offset
        node = item
      } else return offset
    }
    return offset
  }
  let value: unknown
  try {
    value = parsed.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    return Either.left([mistake("", `at most ${MAX_ALIASES} uses of aliases`, found, 0)])
  }
  if (hasMoreValues(value, maxValues)) {
    return Either.left([mistake("", `at most ${maxValues} values, counting aliases each time`, "more", 0)])
  }
  const bad = findNonJson(value)
  if (bad !== undefined) return Either.left([mistake(bad.path, "JSON", bad.found, offsetOf(bad.path))])
  return Either.right({
    document: withoutEmpty(value as Json),
    placeOf: (pointer) => placeAt(offsetOf(pointer)),
  })
}

/** Whether a value contains more than `most` values, counting shared ones in each place. */
const hasMoreValues = (value: unknown, most: number): boolean => {
  const left: Array<unknown> = [value]
  for (let counted = 0; left.length > 0; counted++) {
    if (counted > most) return true
    const next = left.pop()
    if (typeof next === "object" && next !== null) for (const inside of Object.values(next)) left.push(inside)
  }
  return false
}

/** Matches the parser's report of a stack overflow. */
const OVERFLOW = /call stack|too much recursion/i

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "range" in value

const pairsByKey = (isScalar: Yaml["isScalar"]) => {
  const known = new WeakMap<YAMLMap, ReadonlyMap<string, YAMLMap["items"][number]>>()
  return (map: YAMLMap) => {
    const found =
      known.get(map) ??
      new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])))
    known.set(map, found)
    return found
  }
}

/** Removes fields that are null from the parts whose fields Hindcast knows. */
const withoutEmpty = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => withoutEmpty(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      field === null ? [] : [[key, key === "initial_state" || key === "agent_setup" ? withoutEmpty(field) : field]],
    ),
  )
}
