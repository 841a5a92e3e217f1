/** Reads the text of a scenario, YAML or JSON, and finds the line and column of each of its parts. */

import { Effect, Either } from "effect"
import type { Node } from "yaml"
import { findNonJson, type Json, pointerKeys } from "../../values/Json.ts"

/** A location in a text, as editors count: from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A document and where its parts are. */
export interface Source {
  readonly document: Json
  /** The place of the part at a JSON Pointer; of a field, that of its name. If it is missing, that of what is around it. */
  readonly placeOf: (pointer: string) => Place
}

/** Something that is wrong in a document, without its place. */
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

/** Parses YAML, which includes JSON, whose value is JSON. Fields that are left empty count as missing. */
export const parse = (text: string): Effect.Effect<Either.Either<Source, ReadonlyArray<Mistake>>> =>
  // YAML's parser is loaded with the first file: most programs read none. It is CommonJS: where it is bundled, all that it exports is
  // the default.
  Effect.map(
    Effect.promise(() => import("yaml")),
    ({ default: { parseDocument, LineCounter, isMap, isSeq, isScalar } }) => {
      const lines = new LineCounter()
      const placeAt = (offset: number): Place => {
        const { line, col } = lines.linePos(offset)
        return { line: Math.max(1, line), column: Math.max(1, col) }
      }
      const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false })
      const mistake = (path: string, expected: string, found: string, at: number): Mistake => ({
        ...{ path, expected, found },
        place: placeAt(at),
      })
      const broken = parsed.errors.map(({ message, pos }) => mistake("", "YAML or JSON", message, pos[0]))
      if (broken.length > 0) return Either.left(broken)

      const offsetOf = (pointer: string): number => {
        let node: Node | null | undefined = parsed.contents
        let offset = node?.range?.[0] ?? 0
        for (const key of pointerKeys(pointer)) {
          if (isMap(node)) {
            const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key)
            if (pair === undefined) return offset
            offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset
            node = pair.value as Node | null
          } else if (isSeq(node)) {
            const item = node.items[Number(key)] as Node | undefined
            if (item === undefined) return offset
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
      const bad = findNonJson(value)
      if (bad !== undefined) return Either.left([mistake(bad.path, "JSON", bad.found, offsetOf(bad.path))])
      return Either.right({
        document: withoutEmpty(value as Json),
        placeOf: (pointer) => placeAt(offsetOf(pointer)),
      })
    },
  )

/** Most uses of YAML's aliases: more would make a small file large. */
const MAX_ALIASES = 100

/** The document without fields that are null, in the parts whose fields Hindcast knows. */
const withoutEmpty = (value: Json): Json => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      field === null ? [] : [[key, key === "initial_state" || key === "agent_setup" ? withoutEmpty(field) : field]],
    ),
  )
}
