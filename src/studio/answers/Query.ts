/** The parameters of a path: decoded by a schema, and refused where they are unknown, given twice or not what they should be. */

import { Data, Effect, Schema } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import { mistakesOfGiven } from "../../values/schema/Mistakes.ts"

/** Fix the address: what is wrong with its parameters. */
export class InvalidQuery extends Data.TaggedError("InvalidParameters")<{
  readonly path: string
  readonly found: string
}> {
  override get message() {
    return `${this.path}: ${this.found}.`
  }
}

/** Decodes the parameters of a path. */
export const decode = <A, I>(
  path: string,
  schema: Schema.Schema<A, I>,
  parameters: URLSearchParams,
): Effect.Effect<A, InvalidQuery> =>
  Effect.gen(function* () {
    const names = [...parameters.keys()]
    const twice = names.find((name, index) => names.indexOf(name) < index)
    if (twice !== undefined) {
      return yield* new InvalidQuery({ path, found: `${shown(twice)}: expected it once, found it more often` })
    }
    const given = Object.fromEntries(parameters)
    return yield* Schema.decodeUnknown(schema, { errors: "all", onExcessProperty: "error" })(given).pipe(
      Effect.mapError((error) => {
        const issues = mistakesOfGiven(error)
        const found = issues.map(({ path: [name], message }) => `${shown(String(name ?? ""))}: ${message}`).join("; ")
        return new InvalidQuery({ path, found })
      }),
    )
  })

const shown = (name: string): string => JSON.stringify(name.slice(0, MAX_SHOWN))

const MAX_SHOWN = 100

/** A text; `main` if none is given. */
export const Timeline = Schema.optionalWith(Schema.NonEmptyString, { default: () => MAIN })

/** A text that may be left out. */
export const OptionalText = Schema.optionalWith(Schema.NonEmptyString, { exact: true })

/** A whole number from one to another. */
export const wholeNumber = (least: number, most: number) =>
  Schema.compose(
    Schema.String.pipe(
      Schema.pattern(/^\d{1,15}$/, { message: () => `expected a whole number from ${least} to ${most}` }),
    ),
    Schema.NumberFromString,
  ).pipe(
    Schema.filter((number) =>
      number >= least && number <= most ? undefined : `expected a whole number from ${least} to ${most}`,
    ),
  )

/** The position of an event. */
export const Position = wholeNumber(1, Number.MAX_SAFE_INTEGER)
