import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as ScoreChoice from "../../projections/report/ScoreChoice.ts"

/** The scores that count where nobody says otherwise: those of the pointer `official`, where there is one, else `live`. */
export const OFFICIAL = "official"
export const LIVE = "live"

/** Which scores count, where a task has several. */
export const scores = Options.text("scores").pipe(
  Options.withDescription(
    "A pointer, a score set's id or the end of it, or a label. Default: official, where it names a set, else live",
  ),
  Options.optional,
)

/** The scores that were asked for, or by default. */
export const resolve = (typed: Option.Option<string>) =>
  Effect.gen(function* () {
    const promoted = yield* pointers
    const name = Option.getOrElse(typed, () => (promoted.has(OFFICIAL) ? OFFICIAL : LIVE))
    // A log has a live score set for each task: to know their label is to know them all, without a list of them.
    if (name === LIVE && !promoted.has(LIVE)) return ScoreChoice.labelled(LIVE)
    const { scoreSetIds } = yield* SetScores.resolve(name)
    return ScoreChoice.ofSets(name, new Set(scoreSetIds))
  })

/** The pointers that name a score set. */
const pointers = Effect.gen(function* () {
  const log = yield* EventLog
  const found = new Set<string>()
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["ScoreSetPromoted"] }, (page) => {
    for (const event of page) if (is(event, "ScoreSetPromoted")) found.add(event.payload.pointer)
  })
  return found
})
