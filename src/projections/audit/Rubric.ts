/** Decodes the parts of a rubric that an audit needs: measures, rewards and punishments with their weights. */

import { Option, Schema } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import * as Sum from "../../values/Sum.ts"

const Verdicts = Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String, weight: Schema.Finite })), {
  default: () => [],
})

const RubricMeasure = Schema.Struct({
  plugin: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  name: Schema.String,
  rewards: Verdicts,
  punishments: Verdicts,
})

const Rubric = Schema.Struct({ measures: Schema.Array(Schema.Unknown) })

/** A measure of a rubric with its rewards, punishments and weights. */
export const Measure = Schema.typeSchema(RubricMeasure)

export type Measure = typeof Measure.Type

/** The name of a measure in verdicts: `plugin/measure`, or the bare name if it has no plugin. */
export const nameOf = ({ plugin, name }: Pick<Measure, "plugin" | "name">): string =>
  plugin === null ? name : `${plugin}/${name}`

/** The measures of a rubric. An event's rubric is unvalidated JSON: skips entries that are not measures. */
export const measuresOf = (rubric: JsonObject): ReadonlyArray<Measure> =>
  Option.match(decodeRubric(rubric), {
    onNone: () => [],
    onSome: ({ measures }) => measures.flatMap((measure) => Option.toArray(decodeMeasure(measure))),
  })

/** The sum of the weights of all rewards, each given once. */
export const possibleOf = (measures: ReadonlyArray<Measure>): number =>
  Sum.of(measures.flatMap(({ rewards }) => rewards.map(({ weight }) => weight)))

const decodeRubric = Schema.decodeUnknownOption(Rubric)
const decodeMeasure = Schema.decodeUnknownOption(RubricMeasure)
