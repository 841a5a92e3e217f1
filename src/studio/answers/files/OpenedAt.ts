/** Opens the recorded files of a task at a position, for one answer. */
import { Effect } from "effect"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import * as TaskFiles from "../../course/TaskFiles.ts"
import { StudioLog } from "../../StudioLog.ts"

export interface Place {
  readonly timeline: string
  readonly task: string
  readonly position: number
}

export const momentOf = ({ timeline, position }: Place): string => `${timeline}@${position}`

/**
 * The files at the position; before the first snapshot, those of the first one. Paths are those of the log, wherever
 * the program runs.
 */
export const find = (place: Place) =>
  Effect.gen(function* () {
    const { timeline, task } = place
    const first = yield* TaskFiles.firstSnapshot(yield* (yield* StudioLog).past(timeline), task)
    const position = Math.max(place.position, first ?? 0)
    return yield* RecordedFiles.find({ at: momentOf({ ...place, position }), taskId: task, exact: true })
  })
