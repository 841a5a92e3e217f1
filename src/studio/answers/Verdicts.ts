/** Answers `/api/verdicts`. */

import { Effect } from "effect"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as TaskRows from "../course/TaskRows.ts"
import * as VerdictRows from "../course/VerdictRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { VerdictTable } from "../wire/Scoring.ts"
import type { TaskQuery } from "./Tasks.ts"

const MAX_SETS = 20

export const verdicts = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    yield* studio.outline(past, task)
    const { standings } = yield* TaskRows.of(past)
    const all = standings.setsOf(task)
    const shown = all.slice(-MAX_SETS)
    const collected = new VerdictRows.VerdictRows(
      new Map(shown.map(({ set, rubricDigest }) => [set, standings.rubricOf(rubricDigest) ?? {}])),
    )
    const take = (page: ReadonlyArray<Event>) => {
      for (const event of page) collected.take(event)
    }
    yield* Pages.forEach(past.readPage, { taskId: task, types: VerdictRows.TYPES }, take)
    return {
      sets: shown.map(({ set }) => set),
      left: all.length - shown.length,
      rows: collected.rows(),
    } satisfies VerdictTable
  })
