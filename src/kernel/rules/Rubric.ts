/** Builds rubrics (sets of measures) from manifests or files, and checks them. */

import { Data, Effect, Either, Schema } from "effect"
import { type Manifest, Measure } from "../../plugins/manifest/Manifest.ts"
import { digest } from "../../values/Digest.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as Rule from "./Rule.ts"
import { readYaml } from "./YamlFile.ts"

export { FileUnreadable, readYaml } from "./YamlFile.ts"

const RubricMeasure = Schema.Struct({
  ...Measure.fields,
  plugin: Schema.optionalWith(Options.Text, { exact: true }),
}).annotations({ description: "a measure: an object" })

/**
 * A set of measures to score by: the plugins' own, or a file's. `plugin` names the plugin that owns a measure, if any.
 */
export const Rubric = Schema.Struct({
  name: Options.Text,
  measures: Schema.Array(RubricMeasure).pipe(
    Schema.minItems(1),
    Schema.annotations({ description: "a list of at least one measure" }),
  ),
}).annotations({ identifier: "Rubric", description: "a rubric: an object with name and measures" })

export type Rubric = typeof Rubric.Type

/** The rubric has problems. `issues` lists all of them with their places. */
export class RubricInvalid extends Data.TaggedError("RubricInvalid")<{
  readonly source: string
  readonly issues: ReadonlyArray<string>
  /** The file does not exist. */
  readonly missing?: boolean
}> {
  override get message() {
    return `Rubric ${this.source} is invalid:${this.issues.map((issue) => `\n  - ${issue}`).join("")}`
  }
}

/** `plugin/measure`, or the bare name of a measure without a plugin. */
export const measureName = (measure: Rubric["measures"][number]): string =>
  measure.plugin === undefined ? measure.name : `${measure.plugin}/${measure.name}`

/** Digests the content of a rubric. */
export const digestOf = (rubric: Rubric): string => digest(asJson(rubric))

/** A rubric as JSON. Decoding proves it to the compiler. */
export const asJson = (rubric: Rubric): JsonObject => Schema.decodeUnknownSync(JsonObject)(rubric)

/** The name of the rubric that the plugins' own measures form. */
export const OF_PLUGINS = "plugins"

/** The rubric of a task: the measures of its plugins. */
export const ofManifests = (manifests: ReadonlyArray<Manifest>): Rubric => ({
  name: OF_PLUGINS,
  measures: manifests.flatMap(({ name, peas }) => peas.performance.map((measure) => ({ ...measure, plugin: name }))),
})

/**
 * Checks the shape, that names are unique within their list, that each measure has a reward or a punishment, and that
 * rules compile and name only types and fields of events that exist.
 */
export const decode = (source: string, value: unknown): Either.Either<Rubric, RubricInvalid> => {
  const decoded = Options.decode(source, Rubric, value)
  if (Either.isLeft(decoded)) {
    return Either.left(new RubricInvalid({ source, issues: decoded.left.problems.map(Options.describe) }))
  }
  const issues = [...repeatedNames(decoded.right), ...emptyMeasures(decoded.right), ...ruleIssues(decoded.right)]
  return issues.length === 0 ? Either.right(decoded.right) : Either.left(new RubricInvalid({ source, issues }))
}

/** Reads a rubric file in YAML, which includes JSON. */
export const load = (file: string): Effect.Effect<Rubric, RubricInvalid> =>
  Effect.flatMap(readYaml(file), (value) => decode(file, value)).pipe(
    Effect.catchTag(
      "FileUnreadable",
      ({ reason, missing = false }) => new RubricInvalid({ source: file, issues: [reason], missing }),
    ),
  )

/** Repeated names, whose amounts would count twice. */
const repeatedNames = (rubric: Rubric): ReadonlyArray<string> => [
  ...repeated(rubric.measures.map(measureName)).map(
    ({ index, first, name }) =>
      `measures[${index}]: expected a unique name for each measure, found ${name}, which measures[${first}] already has`,
  ),
  ...rubric.measures.flatMap((measure, at) =>
    (["rewards", "punishments"] as const).flatMap((list) =>
      repeated((measure[list] ?? []).map(({ name }) => name)).map(
        ({ index, first, name }) =>
          `measures[${at}].${list}[${index}]: expected each of a measure's ${list} to have a unique name, found "${name}", which ${list}[${first}] already has`,
      ),
    ),
  ),
]

const repeated = (names: ReadonlyArray<string>) => {
  const firsts = new Map<string, number>()
  return names.flatMap((name, index) => {
    const first = firsts.get(name)
    if (first !== undefined) return [{ name, index, first }]
    firsts.set(name, index)
    return []
  })
}

const emptyMeasures = (rubric: Rubric): ReadonlyArray<string> =>
  rubric.measures
    .filter(({ rewards = [], punishments = [] }) => rewards.length + punishments.length === 0)
    .map((measure) => `${measureName(measure)}: expected at least one reward or punishment, found none`)

/** The places of rules that do not compile or can never hold, with the reasons. */
export const ruleIssues = (rubric: Rubric): ReadonlyArray<string> =>
  rubric.measures.flatMap((measure) =>
    [...(measure.rewards ?? []), ...(measure.punishments ?? [])].flatMap(({ name, rule }) => {
      if (rule === undefined) return []
      const flaws = Either.match(Rule.compile(rule), {
        onLeft: ({ message }) => [message],
        onRight: ({ mistakes }) => mistakes().map((mistake) => `Rule \`${rule.trim()}\`: ${mistake}`),
      })
      return flaws.map((flaw) => `${measureName(measure)}, "${name}": ${flaw}`)
    }),
  )
