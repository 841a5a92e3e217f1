/** Parses a rubric that somebody edits, and locates its issues. */

import { Effect, Either } from "effect"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as Source from "../../worlds/scenario/source.ts"
import type { RubricIssue } from "../wire/Asking.ts"
import * as TextIssues from "./TextIssues.ts"
import { MAX_LENGTH, MAX_VALUES } from "./TextLimits.ts"

const NAME = "from the page"

/** Parses a rubric in YAML, or returns its issues. */
export const parse = (text: string): Effect.Effect<Judged> =>
  Effect.suspend(() => {
    if (text.length > MAX_LENGTH) return Effect.succeed(Either.left([tooLarge(`${MAX_LENGTH} characters`)]))
    return Effect.map(Source.parse(text, MAX_VALUES), judged)
  })

const tooLarge = (most: string): RubricIssue => ({
  line: 1,
  column: 1,
  message: `expected a text of at most ${most}, found more. \`hindcast rescore\` takes larger rubrics`,
})

type Judged = Either.Either<Rubric.Rubric, ReadonlyArray<RubricIssue>>

const judged = (parsed: Source.Parsed): Judged => {
  if (Either.isLeft(parsed)) {
    return Either.left(
      TextIssues.told(parsed.left, ({ place, expected, found }) => ({
        ...place,
        message: `expected ${expected}, found ${found}`,
      })),
    )
  }
  const { document, placeOf } = parsed.right
  return Either.mapLeft(Rubric.decode(NAME, document), ({ issues }) =>
    TextIssues.told(issues, (message) => {
      const path = PATH.exec(message)?.[0] ?? ""
      const keys = keysOf(path, document)
      // Next to its place, the field's own name is enough.
      if (keys !== undefined)
        return {
          ...placeOf(keys.map((key) => `/${pointerToken(key)}`).join("")),
          message: `${keys.at(-1)}${message.slice(path.length)}`,
        }
      const pointer = isObject(document) ? pointerOf(message, document) : undefined
      return { ...(pointer === undefined ? { line: null, column: null } : placeOf(pointer)), message }
    }),
  )
}

/** The place of an issue whose message begins with the names of a measure and a reward. */
const pointerOf = (issue: string, document: JsonObject): string | undefined => {
  const { measures } = document as Partial<Rubric.Rubric>
  for (const [index, measure] of (measures ?? []).entries()) {
    const name = Rubric.measureName(measure)
    for (const list of ["rewards", "punishments"] as const) {
      const at = (measure[list] ?? []).findIndex((verdict) => issue.startsWith(`${name}, "${verdict.name}": `))
      if (at >= 0) return `/measures/${index}/${list}/${at}/rule`
    }
    if (issue.startsWith(`${name}: `)) return `/measures/${index}`
  }
  return undefined
}

/** The keys of the path that an issue begins with; undefined if it begins with a measure's name. */
const keysOf = (path: string, document: Json): ReadonlyArray<string> | undefined => {
  const keys = [...path.matchAll(KEY)].map(([key]) => (key.startsWith('"') ? String(JSON.parse(key)) : key))
  const [first = ""] = keys
  return FIELDS.includes(first) || (isObject(document) && Object.hasOwn(document, first)) ? keys : undefined
}

const FIELDS = Object.keys(Rubric.Rubric.fields)

/** A path in JavaScript's notation, such as `measures[0].rewards[1]["a b"]`. */
const PATH = /^(?:[A-Za-z_$][\w$]*|\["(?:[^"\\]|\\.)*"\])(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\]|\.[A-Za-z_$][\w$]*)*(?=: )/

const KEY = /"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|\d+/g
