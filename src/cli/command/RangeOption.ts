/** The options `--since` and `--until`, which bound a query about the past. */
import { Options } from "@effect/cli"
import { Option } from "effect"
import type { Range } from "../../projections/timetravel/TimeTravel.ts"

/** The notations of a moment, for help texts. */
export const MOMENT = "a position (@412, fork-1@412), an event's id, a time with its zone, or now"

const since = Options.text("since").pipe(
  Options.withDescription("Only what came after this moment: the first of it"),
  Options.optional,
)

const until = Options.text("until").pipe(
  Options.withDescription(`Only what came up to this moment: ${MOMENT}`),
  Options.optional,
)

/** The options `--since` and `--until`. */
export const between = { since, until }

/** The range that the options name. */
export const rangeOf = (given: {
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
}): Range => ({
  ...(Option.isNone(given.since) ? {} : { since: given.since.value }),
  ...(Option.isNone(given.until) ? {} : { until: given.until.value }),
})
