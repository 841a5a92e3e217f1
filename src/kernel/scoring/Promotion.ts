/** Moves the pointers to score sets (`official`, `baseline` …). */

import { Data, Effect, Schema } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import type { AppendError, EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as ScoreSets from "../../projections/state/ScoreSets.ts"
import * as Options from "../../values/Options.ts"
import * as ScoreSetWriter from "./ScoreSetWriter.ts"

/** A pointer to a score set, and who moves it. */
export interface Promotion {
  /** A name of your choice, such as `official` or `baseline`. */
  readonly pointer: string
  /** Exactly one. It is a list because a name may match several sets, which fails. */
  readonly scoreSetIds: ReadonlyArray<string>
  readonly actor: string
}

/** Schema of `Promotion`. Unsuitable ids fail with `NotPromoted`. */
export const Promotion = Options.of<Promotion>({
  required: { pointer: Options.Name, scoreSetIds: Schema.Array(Schema.String), actor: Options.Name },
})

/** The pointer does not name exactly one finished score set. */
export class NotPromoted extends Data.TaggedError("NotPromoted")<{
  readonly pointer: string
  readonly found: string
}> {
  override get message() {
    return `The pointer "${this.pointer}" was not moved: expected one finished score set, found ${this.found}. \`hindcast score ls\` lists them.`
  }
}

/** Why a pointer did not move. */
export type PromoteError = Options.InvalidOptions | NotPromoted | AppendError

/** Moves a pointer to a score set and returns the event. The earlier set stays. */
export const promote = (
  log: EventLog.Service,
  projector: ProjectorService,
  promotion: Promotion,
): Effect.Effect<Event, PromoteError> =>
  Effect.gen(function* () {
    const { pointer, scoreSetIds, actor } = yield* Options.decode("promote", Promotion, promotion)
    const [scoreSetId, ...others] = scoreSetIds
    const refuse = (found: string) => new NotPromoted({ pointer, found })
    if (scoreSetId === undefined) return yield* refuse("none")
    if (others.length > 0) return yield* refuse(`${others.length + 1} of that name`)
    const { sets } = yield* projector.current(ScoreSets.projection)
    const set = Object.hasOwn(sets, scoreSetId) ? sets[scoreSetId] : undefined
    if (set === undefined) return yield* refuse(`no score set ${scoreSetId}`)
    if (!set.finished) return yield* refuse(`${scoreSetId}, which was not finished`)
    const appended = yield* log.append({
      stream: ScoreSetWriter.streamOf(scoreSetId),
      actor,
      events: [{ type: "ScoreSetPromoted", payload: { pointer, scoreSetId } }],
    })
    return yield* firstEvent(appended)
  })
