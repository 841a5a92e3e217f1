/** Decodes a curriculum from its text, and reports all mistakes at once, each with its line and column. */

import { Data, Effect, Either, Schema } from "effect"
import * as Rubric from "../../../kernel/rules/Rubric.ts"
import { digest } from "../../../values/Digest.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import { issuesOf } from "../../../values/OptionIssues.ts"
import { type Scenario, asJson as scenarioAsJson } from "../../scenario/Document.ts"
import { flawOf, type Loaded as LoadedScenario, listed, placed } from "../../scenario/decode.ts"
import { type Flaw, type Mistake, type Place, parse } from "../../scenario/source.ts"
import { asJson, Curriculum } from "./Document.ts"
import { flawsOf } from "./references.ts"

/** The curriculum has mistakes; `mistakes` lists all that were found. */
export class CurriculumInvalid extends Data.TaggedError("CurriculumInvalid")<{
  readonly file: string
  readonly mistakes: ReadonlyArray<Mistake>
}> {
  override get message() {
    return listed(this.file, this.mistakes)
  }
}

/** A curriculum with the files that it names. */
export interface Content {
  readonly curriculum: Curriculum
  /** By the name of the file in the curriculum. */
  readonly scenarios: { readonly [file: string]: Scenario }
  /** By label. */
  readonly rubrics: { readonly [label: string]: Rubric.Rubric }
}

/** A decoded curriculum, with the places of its parts. */
export interface Loaded extends Content {
  /** SHA-256 over the canonical JSON of all contents, in lower-case hexadecimal. */
  readonly digest: string
  /** The file, or another name of the text, for messages. */
  readonly file: string
  /** Returns the line and column of the value at a JSON Pointer. */
  readonly placeOf: (pointer: string) => Place
}

/** Reads the files that a curriculum names. Fails with a file's fault, in words. */
export interface Files {
  /** Reads and decodes a scenario, by its path in the curriculum. */
  readonly scenario: (file: string) => Effect.Effect<Pick<LoadedScenario, "scenario">, string>
  /** Reads and decodes a rubric, by its path in the curriculum. */
  readonly rubric: (file: string) => Effect.Effect<Rubric.Rubric, string>
}

/**
 * Decodes a curriculum from YAML or JSON. Finds unknown, missing and mistyped fields, unknown names, criteria that do
 * not compile or can never hold, stages that nothing leads to, cycles without an end, and files that cannot be read.
 *
 * @param file the text's name in messages
 */
export const decode = (text: string, file: string, files: Files): Effect.Effect<Loaded, CurriculumInvalid> =>
  Effect.gen(function* () {
    const parsed = yield* parse(text)
    if (Either.isLeft(parsed)) return yield* new CurriculumInvalid({ file, mistakes: parsed.left })
    const { document, placeOf } = parsed.right
    const curriculum = yield* Either.mapLeft(fromJson(document), (flaws) => invalid({ file, placeOf }, flaws))
    const [scenarioFlaws, scenarios] = yield* readAll(
      curriculum.stages.flatMap(({ scenario }, index) =>
        scenario === undefined ? [] : [{ key: scenario, file: scenario, path: `/stages/${index}/scenario` }],
      ),
      (named) => Effect.map(files.scenario(named), ({ scenario }) => scenario),
    )
    const [rubricFlaws, rubrics] = yield* readAll(
      Object.entries(curriculum.rubrics ?? {}).map(([label, named]) => ({
        key: label,
        file: named,
        path: `/rubrics/${label}`,
      })),
      files.rubric,
    )
    const flaws = [...scenarioFlaws, ...rubricFlaws]
    if (flaws.length > 0) return yield* invalid({ file, placeOf }, flaws)
    const content = { curriculum, scenarios, rubrics }
    return { ...content, digest: digestOf(content), file, placeOf }
  })

const readAll = <A>(
  named: ReadonlyArray<{ readonly key: string; readonly file: string; readonly path: string }>,
  read: (file: string) => Effect.Effect<A, string>,
) =>
  Effect.gen(function* () {
    const flaws: Array<Flaw> = []
    const found = new Map<string, A>()
    for (const { key, file, path } of named) {
      if (found.has(key)) continue
      const either = yield* Effect.either(read(file))
      if (Either.isRight(either)) found.set(key, either.right)
      else flaws.push({ path, expected: "a readable file", found: either.left })
    }
    return [flaws, Object.fromEntries(found)] as const
  })

/** The error of a curriculum with these flaws. */
export const invalid = (
  { file, placeOf }: Pick<Loaded, "file" | "placeOf">,
  flaws: ReadonlyArray<Flaw>,
): CurriculumInvalid => new CurriculumInvalid({ file, mistakes: placed(placeOf, flaws) })

/** The digest of a curriculum with its files. */
export const digestOf = ({ curriculum, scenarios, rubrics }: Content): string =>
  digest({ curriculum: asJson(curriculum), scenarios: scenariosAsJson(scenarios), rubrics: rubricsAsJson(rubrics) })

/** The scenarios of a curriculum as JSON. */
export const scenariosAsJson = (scenarios: Content["scenarios"]): JsonObject =>
  Object.fromEntries(Object.entries(scenarios).map(([file, scenario]) => [file, scenarioAsJson(scenario)]))

/** The rubrics of a curriculum as JSON. */
export const rubricsAsJson = (rubrics: Content["rubrics"]): JsonObject =>
  Object.fromEntries(Object.entries(rubrics).map(([label, rubric]) => [label, Rubric.asJson(rubric)]))

/** Decodes a curriculum from JSON, without the files that it names. */
export const fromJson = (document: Json): Either.Either<Curriculum, ReadonlyArray<Flaw>> =>
  Either.match(strictly(document), {
    onLeft: ({ issue }) => Either.left(issuesOf(issue).map(flawOf)),
    onRight: (curriculum) => {
      const flaws = flawsOf(curriculum)
      return flaws.length === 0 ? Either.right(curriculum) : Either.left(flaws)
    },
  })

const strictly = Schema.decodeUnknownEither(Curriculum, { errors: "all", onExcessProperty: "error" })
