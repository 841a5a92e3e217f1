/** The option `--scores`: which scores an export uses if a task has several. */
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import * as ScoreChoice from "../../projections/report/ScoreChoice.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { optionalText } from "../command/CommonOptions.ts"

/** The default scores: those of the pointer `official` if it exists, else those labelled `live`. */
export const OFFICIAL = "official"
export const LIVE = "live"

export const scores = optionalText(
  "scores",
  "A pointer, a score set's id or the end of it, or a label. Default: official if it names a set, else live",
)

export const resolve = (typed: Option.Option<string>) =>
  Effect.gen(function* () {
    const promoted = yield* pointers
    const name = Option.getOrElse(typed, () => (promoted.has(OFFICIAL) ? OFFICIAL : LIVE))
    // Each task has a live score set of its own. Their shared label identifies them without a list of ids.
    if (name === LIVE && !promoted.has(LIVE)) return ScoreChoice.labelled(LIVE)
    const { scoreSetIds } = yield* SetScores.resolve(name)
    return ScoreChoice.ofSets(name, new Set(scoreSetIds))
  })

/** A sentence for tasks without any chosen score, so that they do not look like an empty log. Empty otherwise. */
export const noneScored = ({ name }: ScoreChoice.ScoreChoice, tasks: number, scored: number): string =>
  tasks === 0 || scored > 0
    ? ""
    : CommandHints.inText(` None of them has a score by "${name}": \`hindcast score ls\` lists the score sets.`)

const pointers = Effect.gen(function* () {
  const log = yield* EventLog
  const found = new Set<string>()
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["ScoreSetPromoted"] }, (page) => {
    for (const event of page) if (is(event, "ScoreSetPromoted")) found.add(event.payload.pointer)
  })
  return found
})
