/** Decodes a scenario from its text and reports all mistakes at once, each with its line and column. */

import { Data, Effect, Either, Schema } from "effect"
import { digest } from "../../values/Digest.ts"
import { type Json, pointerToken } from "../../values/Json.ts"
import { issuesOf, type SchemaIssue } from "../../values/OptionIssues.ts"
import { visible } from "../../values/PlainText.ts"
import { asJson, Scenario } from "./Document.ts"
import { flawsOf } from "./references.ts"
import { repaired } from "./repair.ts"
import { type Flaw, type Mistake, type Place, parse } from "./source.ts"

/** Maximum number of mistakes in a message. */
const MAX_LISTED = 50

/** The scenario has mistakes; `mistakes` lists all that were found. */
export class ScenarioInvalid extends Data.TaggedError("ScenarioInvalid")<{
  readonly file: string
  readonly mistakes: ReadonlyArray<Mistake>
}> {
  override get message() {
    return listed(this.file, this.mistakes)
  }
}

/** The message about a file's mistakes: their number, and each with its place, up to a limit. */
export const listed = (file: string, mistakes: ReadonlyArray<Mistake>): string => {
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`
  const lines = mistakes.slice(0, MAX_LISTED).map((mistake) => `\n  ${described(mistake)}`)
  const more = mistakes.length > MAX_LISTED ? `\n  and ${mistakes.length - MAX_LISTED} more` : ""
  return `${file} has ${count}:${lines.join("")}${more}`
}

/** Flaws with their places, in the order of the text. */
export const placed = (placeOf: Loaded["placeOf"], flaws: ReadonlyArray<Flaw>): ReadonlyArray<Mistake> =>
  flaws
    .map((flaw) => ({ ...flaw, place: placeOf(flaw.path) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)

/** A decoded scenario, with the places of its parts. */
export interface Loaded {
  readonly scenario: Scenario
  /** SHA-256 over the canonical JSON, in lower-case hexadecimal. */
  readonly digest: string
  /** The file, or another name of the text, for messages. */
  readonly file: string
  /** Returns the line and column of the value at a JSON Pointer. */
  readonly placeOf: (pointer: string) => Place
}

/**
 * Decodes a scenario from YAML or JSON. Finds unknown, missing and mistyped fields, unknown names of rooms, things and
 * agents, rules that do not compile, and conditions that hold at the start.
 *
 * @param file the text's name in messages
 */
export const decode = (text: string, file: string, maxValues?: number): Effect.Effect<Loaded, ScenarioInvalid> =>
  Effect.flatMap(parse(text, maxValues), (parsed) => {
    if (Either.isLeft(parsed)) return new ScenarioInvalid({ file, mistakes: parsed.left })
    const { document, placeOf } = parsed.right
    const decoded = fromJson(document)
    return Either.isRight(decoded)
      ? Effect.succeed({ scenario: decoded.right, digest: digest(asJson(decoded.right)), file, placeOf })
      : invalid({ file, placeOf }, decoded.left)
  })

export const invalid = (
  { file, placeOf }: Pick<Loaded, "file" | "placeOf">,
  flaws: ReadonlyArray<Flaw>,
): ScenarioInvalid => new ScenarioInvalid({ file, mistakes: placed(placeOf, flaws) })

/** Decodes a scenario from JSON, for example from a `ScenarioStarted` event. */
export const fromJson = (document: Json): Either.Either<Scenario, ReadonlyArray<Flaw>> =>
  Either.match(strictly(document), {
    onLeft: ({ issue }) => {
      const issues = issuesOf(issue)
      return Either.left([...issues.map(flawOf), ...furtherFlaws(document, issues)])
    },
    onRight: (scenario) => {
      const flaws = flawsOf(scenario)
      return flaws.length === 0 ? Either.right(scenario) : Either.left(flaws)
    },
  })

/**
 * Maximum number of schema issues with which the other checks still run: each issue is repaired in a copy of the
 * document.
 */
const MAX_REPAIRED = 100

/** Finds other flaws, in a copy without the parts that violate the schema. */
const furtherFlaws = (document: Json, issues: ReadonlyArray<SchemaIssue>): ReadonlyArray<Flaw> => {
  if (issues.length > MAX_REPAIRED) return []
  const rest = strictly(
    repaired(
      document,
      issues.map(({ keys }) => keys),
    ),
  )
  if (Either.isLeft(rest)) return []
  const hasAgents = !issues.some(({ keys }) => keys[1] === "agent_setup")
  return flawsOf(rest.right).filter(({ path }) => hasAgents || !path.endsWith("/agent_id"))
}

const strictly = Schema.decodeUnknownEither(Scenario, { errors: "all", onExcessProperty: "error" })

/** The flaw of a document that its schema finds. */
export const flawOf = ({ keys, expected, found, nearest }: SchemaIssue): Flaw => ({
  path: keys.map((key) => `/${pointerToken(String(key))}`).join(""),
  expected,
  found: nearest === undefined ? found : `${found} (did you mean ${nearest}?)`,
})

const described = ({ path, expected, found, place }: Mistake): string => {
  const at = path === "" ? "(the whole file)" : shown(path)
  return `${place.line}:${place.column} ${at}: expected ${shown(expected)}, found ${shown(found)}`
}

/** Maximum length of a message's part, in characters. */
const MAX_PART = 1_000

/** A text of the file, shortened and with control characters made visible. */
const shown = (text: string): string => visible(text.length > MAX_PART ? `${text.slice(0, MAX_PART)}…` : text)
