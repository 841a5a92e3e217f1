import { Option, Schema } from "effect"
import type { JsonObject } from "../../values/Json.ts"

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

/** What an audit needs of one measure of a rubric: which rewards and punishments it has, and their weights. */
export const Measure = Schema.typeSchema(RubricMeasure)

export type Measure = typeof Measure.Type

/** How rewards and punishments name their measure: `plugin/measure`, or the bare name where it has no plugin. */
export const nameOf = ({ plugin, name }: Pick<Measure, "plugin" | "name">): string =>
  plugin === null ? name : `${plugin}/${name}`

/** The measures of a rubric. A rubric is JSON here, whoever wrote the event: what is no measure is passed over. */
export const measuresOf = (rubric: JsonObject): ReadonlyArray<Measure> =>
  Option.match(decodeRubric(rubric), {
    onNone: () => [],
    onSome: ({ measures }) => measures.flatMap((measure) => Option.toArray(decodeMeasure(measure))),
  })

const decodeRubric = Schema.decodeUnknownOption(Rubric)
const decodeMeasure = Schema.decodeUnknownOption(RubricMeasure)
