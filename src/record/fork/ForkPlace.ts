/** Where a fork of a recorded run leaves it, and what its timeline is called. */

import { Data, Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"

/** No recorded run can go on from this moment: name one between the beginning and the end of a run that was recorded. */
export class NotForkable extends Data.TaggedError("NotForkable")<{
  readonly moment: Moment.Moment
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${JSON.stringify(this.moment)}: expected ${this.expected}, found ${this.found}. Nothing was recorded.`
  }
}

/** Where a fork leaves a run. */
export interface ForkPlace {
  readonly taskId: string
  /** The timeline that it leaves, and the last position that the two share. */
  readonly parent: string
  readonly at: number
  /** The name of the new timeline. */
  readonly timeline: string
  /** The agent of the run. */
  readonly agent: string
}

/** What a caller says of it. */
export interface Chosen {
  readonly moment: Moment.Moment
  /** Default: the task of the event at the moment. */
  readonly taskId?: string | undefined
  /** Default: `fork-1`, `fork-2` … */
  readonly timeline?: string | undefined
  /** Names that are not chosen by default, though no timeline of the log has them. Default: none. */
  readonly taken?: ReadonlyArray<string>
}

/** The place of a fork in the log. */
export const find = ({ moment, taskId, timeline, taken = [] }: Chosen) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position, timeline: parent } = yield* Moment.locate(moment)
    const view = Timelines.view(log, yield* Timelines.named(log, parent))
    const task = taskId ?? (yield* taskAt(view, position, moment))
    const [opened] = yield* view.readPage({ timeline: parent, taskId: task, types: ["TaskOpened"], until: position }, 1)
    if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.recorder === undefined) {
      const found = opened === undefined ? "one that began later" : "a task that was not"
      return yield* new NotForkable({ moment, expected: "a moment of a task that `hindcast record` recorded", found })
    }
    const [closed] = yield* view.readPage({ timeline: parent, taskId: task, types: ["TaskClosed"], until: position }, 1)
    if (closed !== undefined) {
      return yield* new NotForkable({ moment, expected: "a moment before the task's end", found: "one after it" })
    }
    const known = (yield* Timelines.list(log)).map(({ name }) => name)
    const name =
      timeline === undefined ? TimelineName.next([...known, ...taken]) : yield* TimelineName.checked(timeline, known)
    const place: ForkPlace = { taskId: task, parent, at: position, timeline: name, agent: opened.payload.agent }
    return place
  })

/** The task of the event at a position. */
const taskAt = (view: typeof EventLog.Service, position: number, moment: Moment.Moment) =>
  Effect.gen(function* () {
    const own = { timeline: view.timeline, after: position - 1, until: position }
    const [event] = position === 0 ? [] : yield* view.readPage(own, 1)
    const taskId = event?.taskId ?? null
    if (taskId !== null) return taskId
    const expected = "an event of a task, or its task by name"
    return yield* new NotForkable({ moment, expected, found: "one of no task" })
  })
