/** Answers what the model saw in a turn, from a log. */

import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { digest } from "../../values/Digest.ts"
import { align } from "../timetravel/TaskAlignment.ts"
import * as RequestDifference from "./RequestDifference.ts"
import * as RequestDigest from "./RequestDigest.ts"
import * as RequestSizes from "./RequestSizes.ts"
import * as Requests from "./Requests.ts"
import type { WholeRequest } from "./WholeRequest.ts"

/** A task on a timeline. */
export interface SawTask {
  readonly timeline: string
  readonly taskId: string
}

/** What the model saw in one turn. */
export interface Saw {
  readonly timeline: string
  /** Null for a question of a critic about no task. */
  readonly taskId: string | null
  readonly request: WholeRequest
  /** The turn's number among the task's requests, from 1, and how many there are. */
  readonly turn: number
  readonly turns: number
  readonly sizes: ReadonlyArray<RequestSizes.PartSize>
  /**
   * Whether the digest that the log recorded with the request confirms all of it. Null if nothing recorded one that
   * could: only model agents do.
   */
  readonly isConfirmed: boolean | null
}

/** There is no request to a model where one was expected. */
export class RequestNotFound extends Data.TaggedError("RequestNotFound")<{
  readonly asked: string
  readonly found: string
}> {
  override get message() {
    return `${this.asked}: expected a request to a model, found ${this.found}. \`hindcast log ls --type ModelCalled\` lists the requests.`
  }
}

/** The request of the event at a moment: its own, that of its causes, or the last one before it in its task. */
export const at = (moment: Moment.Moment) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { timeline, position } = yield* Moment.locate(moment)
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const [event] = position === 0 ? [] : yield* view.readPage({ timeline, after: position - 1, until: position }, 1)
    const asked = `${timeline === "main" ? "" : timeline}@${position}`
    if (event === undefined) return yield* new RequestNotFound({ asked, found: "no event" })
    // The questions of critics are in a stream of their own.
    const events = yield* eventsOf(view, timeline, event.taskId, event.stream, position)
    const called = Requests.requestAt(events, position)
    if (called === undefined)
      return yield* new RequestNotFound({ asked, found: `${event.type}, and no request to a model before it` })
    return yield* sawIn(yield* eventsOf(view, timeline, event.taskId, event.stream), called, {
      timeline,
      taskId: event.taskId,
      asked,
    })
  })

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
    const isQuestion = stream?.startsWith("scores/") === true
    const of = isQuestion || taskId === null ? { stream: stream ?? "" } : { taskId }
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
    const request = Requests.wholeRequest(events, position, { digest })
    if (request === undefined) return new RequestNotFound({ asked, found: "none at its position" })
    const turns = Requests.turnsIn(events)
    return Effect.succeed<Saw>({
      timeline,
      taskId,
      request,
      turn: turns.findIndex((one) => one.position === position) + 1,
      turns: turns.length,
      sizes: RequestSizes.sizesOf(request),
      isConfirmed: RequestDigest.isExact(request) ?? null,
    })
  })
