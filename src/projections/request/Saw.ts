/** Finds a model's request in a turn, from a log. */

import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { digest } from "../../values/Digest.ts"
import * as Formats from "../../values/Formats.ts"
import { align } from "../timetravel/TaskAlignment.ts"
import * as RequestDifference from "./RequestDifference.ts"
import * as RequestDigest from "./RequestDigest.ts"
import * as Requests from "./Requests.ts"
import * as SeenTurn from "./SeenTurn.ts"

/** A task on a timeline. */
export interface SawTask {
  readonly timeline: string
  readonly taskId: string
}

/** One turn, as the model saw it. */
export type Saw = SeenTurn.SeenTurn

/** There is no request to a model where one was expected. */
export class RequestNotFound extends Data.TaggedError("RequestNotFound")<{
  readonly asked: string
  readonly found: string
}> {
  override get message() {
    return `${this.asked}: expected a request to a model, found ${this.found}. \`hindcast task ls\` lists the tasks.`
  }
}

/**
 * The request of the event at a moment: its own, that of its causes, or the last one before it in its task.
 *
 * @param task the task to look in, for events of no task. Default: the event's
 */
export const at = (moment: Moment.Moment, task?: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { timeline, position } = yield* Moment.locate(moment)
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const [event] = position === 0 ? [] : yield* view.readPage({ timeline, after: position - 1, until: position }, 1)
    const asked = `${timeline === "main" ? "" : timeline}${Formats.at(position)}`
    if (event === undefined) return yield* new RequestNotFound({ asked, found: "no event" })
    const taskId = event.taskId ?? task ?? null
    // The questions of critics are in a stream of their own. A scoring without any is about the task's requests.
    const ofScoring = isOfScoring(event.stream) && taskId !== null ? [event.stream, undefined] : [event.stream]
    for (const stream of ofScoring) {
      const called = Requests.requestAt(yield* eventsOf(view, timeline, taskId, stream, position), position)
      if (called === undefined) continue
      return yield* sawIn(yield* eventsOf(view, timeline, taskId, stream), called, { timeline, taskId, asked })
    }
    return yield* new RequestNotFound({ asked, found: `${event.type}, and no request to a model before it` })
  })

const isOfScoring = (stream: string | undefined): boolean => stream?.startsWith("scores/") === true

/** The request of a task's turn. Default: the last one. */
export const turn = ({ timeline, taskId }: SawTask, number?: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const events = yield* eventsOf(view, timeline, taskId)
    const turns = Requests.turnsIn(events)
    const asked = number === undefined ? `Task ${taskId}` : `Task ${taskId}, turn ${number}`
    const found = turns.length === 1 ? "1 turn" : `${turns.length} turns`
    const called = number === undefined ? turns.at(-1) : turns[number - 1]
    if (called === undefined) return yield* new RequestNotFound({ asked, found })
    return yield* sawIn(events, called.position, { timeline, taskId, asked })
  })

/** Two requests and their difference. */
export interface Compared {
  readonly before: Saw
  readonly after: Saw
  readonly changes: ReadonlyArray<RequestDifference.PartChange>
}

/** The difference to the previous request in the same conversation; undefined for the first one. */
export const sincePrevious = (after: Saw) =>
  Effect.gen(function* () {
    const { previous } = after.request
    if (previous === null) return undefined
    return compared(yield* at(`${after.timeline}@${previous}`), after)
  })

/** The difference to the same turn of another task or timeline, found by alignment; undefined if it has none. */
export const acrossTo = (after: Saw, other: SawTask) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { timeline, taskId, request } = after
    if (taskId === null) return undefined
    const ofRun = (run: SawTask) =>
      Effect.gen(function* () {
        const view = Timelines.view(log, yield* Timelines.named(log, run.timeline))
        const events: Array<Event> = []
        yield* Pages.forEach(view.readPage, { ...run }, (page) => {
          for (const event of page) events.push(event)
        })
        return events
      })
    const { pairs } = align(yield* ofRun(other), yield* ofRun({ timeline, taskId }))
    const pair = pairs.find(({ b }) => b?.position === request.position)
    if (pair === undefined || pair.a === null) return undefined
    return compared(yield* at(`${other.timeline}@${pair.a.position}`), after)
  })

const compared = (before: Saw, after: Saw): Compared => ({
  before,
  after,
  changes: RequestDifference.compare(before.request, after.request),
})

const eventsOf = (
  view: EventLog.Service,
  timeline: string,
  taskId: string | null,
  stream?: string,
  until?: number,
): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    const of = isOfScoring(stream) || taskId === null ? { stream: stream ?? "" } : { taskId }
    // The event that was asked about may be of any type.
    const types = until === undefined ? { types: Requests.TYPES } : { until }
    yield* Pages.forEach(view.readPage, { timeline, ...of, ...types }, (page) => {
      for (const event of page) events.push(event)
    })
    return events
  })

const sawIn = (
  events: ReadonlyArray<Event>,
  position: number,
  { timeline, taskId, asked }: { readonly timeline: string; readonly taskId: string | null; readonly asked: string },
) =>
  Effect.suspend(() => {
    const found = SeenTurn.of(events, position, { timeline, taskId }, { digest, isExact: RequestDigest.isExact })
    return found === undefined
      ? new RequestNotFound({ asked, found: "none at its position" })
      : Effect.succeed<Saw>(found)
  })
