/** Decodes the parameters of a request. Rejects unknown, repeated and invalid ones. */

import { Data, Effect, Schema } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import { mistakesOfGiven } from "../../values/schema/Mistakes.ts"

export class InvalidQuery extends Data.TaggedError("InvalidParameters")<{
  readonly path: string
  readonly found: string
}> {
  override get message() {
    return `${this.path}: ${this.found}.`
  }
}

export const decode = <A, I>(
  path: string,
  schema: Schema.Schema<A, I>,
  parameters: URLSearchParams,
): Effect.Effect<A, InvalidQuery> =>
  Effect.gen(function* () {
    const names = [...parameters.keys()]
    const twice = names.find((name, index) => names.indexOf(name) < index)
    if (twice !== undefined) {
      return yield* new InvalidQuery({ path, found: `${shown(twice)}: expected it once, found it several times` })
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

/** Default: `main`. */
export const Timeline = Schema.optionalWith(Schema.NonEmptyString, { default: () => MAIN })

export const OptionalText = Schema.optionalWith(Schema.NonEmptyString, { exact: true })

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

export const Position = wholeNumber(1, Number.MAX_SAFE_INTEGER)
