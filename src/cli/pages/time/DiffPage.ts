/** Loads and formats the differences of the environment between two moments. */
import { Effect } from "effect"
import * as Moment from "../../../events/read/Moment.ts"
import { TimeTravel } from "../../../projections/timetravel/TimeTravel.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as PatchLines from "./PatchLines.ts"

export interface FoundChanges {
  readonly from: Moment.LocatedMoment
  readonly to: Moment.LocatedMoment
  readonly changes: ReadonlyArray<PatchLines.ShownChange>
}

export const load = (a: Moment.Moment, b: Moment.Moment) =>
  Effect.gen(function* () {
    const [from, to] = [yield* Moment.locate(a), yield* Moment.locate(b)]
    const travel = yield* TimeTravel
    const differences = yield* travel.diff(`${from.timeline}@${from.position}`, `${to.timeline}@${to.position}`)
    const before = yield* travel.stateAt(`${from.timeline}@${from.position}`)
    return { from, to, changes: PatchLines.withBefore(before, differences) } satisfies FoundChanges
  })

export const lines = (style: Style, { from, to, changes }: FoundChanges): ReadonlyArray<string> =>
  changes.length === 0
    ? [
        `Nothing differs between ${Text.moment(from.timeline, from.position)} and ${Text.moment(to.timeline, to.position)}.`,
      ]
    : PatchLines.lines(style, changes)
