/** Finds where a fork leaves a recorded run, and names its timeline. */

import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as TimelineName from "../../kernel/fork/TimelineName.ts"

/** No recorded run can be forked at this moment. Name a moment between the beginning and the end of a recorded run. */
export class NotForkable extends Data.TaggedError("NotForkable")<{
  readonly moment: Moment.Moment
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${JSON.stringify(this.moment)}: expected ${this.expected}, found ${this.found}. Nothing was recorded.`
  }
}

/** Where a fork leaves its run. */
export interface ForkPlace {
  readonly taskId: string
  /** The parent timeline and the last shared position; at a model's answer, the end of the whole answer. */
  readonly parent: string
  readonly at: number
  /** Name of the new timeline. */
  readonly timeline: string
  readonly agent: string
}

export interface Chosen {
  readonly moment: Moment.Moment
  /** Default: the task of the event at the moment. */
  readonly taskId?: string | undefined
  /** Default: `fork-1`, `fork-2` … */
  readonly timeline?: string | undefined
  /** Names to avoid as defaults although no timeline has them. Default: none. */
  readonly taken?: ReadonlyArray<string>
}

export const find = ({ moment, taskId, timeline, taken = [] }: Chosen) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position: named, timeline: parent } = yield* Moment.locate(moment)
    const view = Timelines.view(log, yield* Timelines.named(log, parent))
    const event = yield* eventAt(view, named)
    const task = taskId ?? (yield* taskOf(event, moment))
    const position = yield* afterAnswer(view, event, named)
    const [opened] = yield* view.readPage({ timeline: parent, taskId: task, types: ["TaskOpened"], until: position }, 1)
    if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.recorder === undefined) {
      const found =
        opened === undefined ? `task ${task}, which began later or not at all` : `task ${task}, which was not`
      return yield* new NotForkable({ moment, expected: "a moment of a task that `hindcast record` recorded", found })
    }
    const [closed] = yield* view.readPage({ timeline: parent, taskId: task, types: ["TaskClosed"], until: position }, 1)
    if (closed !== undefined) {
      const end = `@${closed.position}`
      const found = closed.position === position ? "its end" : "a later moment"
      return yield* new NotForkable({ moment, expected: `a moment before ${end}, the end of task ${task}`, found })
    }
    const known = (yield* Timelines.list(log)).map(({ name }) => name)
    const name =
      timeline === undefined ? TimelineName.next([...known, ...taken]) : yield* TimelineName.checked(timeline, known)
    const place: ForkPlace = { taskId: task, parent, at: position, timeline: name, agent: opened.payload.agent }
    return place
  })

const eventAt = (view: EventLog.Service, position: number): Effect.Effect<Event | undefined, LogError> =>
  position === 0
    ? Effect.succeed(undefined)
    : Effect.map(
        view.readPage({ timeline: view.timeline, after: position - 1, until: position }, 1),
        ([event]) => event,
      )

const taskOf = (event: Event | undefined, moment: Moment.Moment): Effect.Effect<string, NotForkable> => {
  const taskId = event?.taskId ?? null
  if (taskId !== null) return Effect.succeed(taskId)
  return new NotForkable({ moment, expected: "an event of a task, or its task by name", found: "one of no task" })
}

/**
 * Moves a position inside a model's answer to the answer's end, so that no call is cut in half. An answer is two events
 * (as read, and as the program got it), followed by the calls observed in it.
 */
const afterAnswer = (
  view: EventLog.Service,
  event: Event | undefined,
  position: number,
): Effect.Effect<number, LogError> =>
  Effect.gen(function* () {
    if (event === undefined || !PARTS.has(event.type)) return position
    const from = Math.max(0, position - MOST_CALL_EVENTS)
    const around = yield* view.readPage({ timeline: view.timeline, after: from }, 2 * MOST_CALL_EVENTS)
    const read = answerOf(event, around)
    if (read === undefined) return position
    let last = position
    const chain = new Set([read.id])
    for (const next of around) {
      if (next.position <= read.position) continue
      const isAnswer = (is(next, "IoAnswered") || is(next, "IoFailed")) && next.causationId === read.causationId
      const isCall = CALL.has(next.type) && chain.has(next.causationId ?? "")
      if (!isAnswer && !isCall) break
      chain.add(next.id)
      last = Math.max(last, next.position)
    }
    return last
  })

/** The event with the read answer to which an event belongs. */
const answerOf = (event: Event, around: ReadonlyArray<Event>): Event | undefined => {
  if (is(event, "ModelResponded") || is(event, "ModelFailed")) return event
  if (!CALL.has(event.type)) return around.find((one) => one.position < event.position && answersAs(one, event))
  const cause = around.find(({ id }) => id === event.causationId)
  return cause === undefined || !PARTS.has(cause.type) ? undefined : answerOf(cause, around)
}

/** Whether `one` is the read form of the raw answer `raw`. */
const answersAs = (one: Event, raw: Event): boolean =>
  (is(one, "ModelResponded") || is(one, "ModelFailed")) && one.causationId === raw.causationId

/** Events of a call observed in an answer. */
const CALL: ReadonlySet<string> = new Set(["ActuatorCommanded", "CommandAllowed", "CommandDispatched"])

/** Events of an answer and its calls. */
const PARTS: ReadonlySet<string> = new Set(["ModelResponded", "ModelFailed", "IoAnswered", "IoFailed", ...CALL])

/** Number of events searched on either side; a call takes three. */
const MOST_CALL_EVENTS = 300
