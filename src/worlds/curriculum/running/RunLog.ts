/** Reads and writes the events of one run of a curriculum. */

import { Effect } from "effect"
import { EventLog, Exact, type NewEvent } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import * as CurriculumRuns from "../../../projections/curricula/CurriculumRuns.ts"
import * as Projection from "../../../projections/fold/Projection.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"

/** The stream of a run's events. */
export const streamOf = (curriculumId: string): string => `curriculum/${curriculumId}`

const ACTOR = "curriculum"

/** All runs of curricula in the log, by id, in the order of their starts. */
export const all = Effect.gen(function* () {
  const log = yield* EventLog
  const { projection, TYPES } = CurriculumRuns
  const builder = Projection.begin(projection, projection.initial)
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: TYPES }, (page) =>
    Projection.applyAll(projection, builder, page),
  )
  return builder.state()
})

/** A run, and the version of its stream. */
export interface Found {
  readonly run: CurriculumRuns.CurriculumRun
  readonly version: number
}

/** A run that has begun. */
export const load = (curriculumId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { projection } = CurriculumRuns
    const builder = Projection.begin(projection, projection.initial)
    let version = 0
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, stream: streamOf(curriculumId) }, (page) => {
      Projection.applyAll(projection, builder, page)
      version = page.at(-1)?.version ?? version
    })
    const run = SafeRecord.get(builder.state(), curriculumId)
    if (run === undefined) return yield* Effect.dieMessage(`the curriculum ${curriculumId} has not begun`)
    return { run, version } satisfies Found
  })

/**
 * Appends events to a run's stream, unless somebody else has appended since `version`: two programs that run the same
 * curriculum cannot both decide.
 */
export const append = (curriculumId: string, version: number, events: ReadonlyArray<NewEvent>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({ stream: streamOf(curriculumId), actor: ACTOR, expected: Exact(version), events }),
  )
