/**
 * Pauses, continues and cancels tasks by events, from any process that can append to the log. The kernel that works on
 * a task follows them, or else the next one that resumes it.
 */

import { Context, Data, Effect, Layer, Schema } from "effect"
import { firstEvent } from "../../events/log/AppendRequest.ts"
import {
  type AppendError,
  type AppendPart,
  type CoreNewEvent,
  EventLog,
  Exact,
  type LogError,
  MAIN,
} from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { TaskNotFound } from "../../projections/audit/TaskAudit.ts"
import * as ForkedTasks from "../../projections/state/ForkedTasks.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import { plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** The source of a request, and its reason. */
export interface ControlOptions {
  readonly by: string
  readonly reason?: string
  /** The task's timeline. Default: the log's, which is `main`. */
  readonly timeline?: string
}

/** Schema of `ControlOptions`. */
export const ControlOptions = Options.of<ControlOptions>({
  required: { by: Options.Name },
  optional: { reason: Schema.String, timeline: Options.Text },
})

/** The task is not in a state that allows the request. */
export class NotControllable extends Data.TaggedError("NotControllable")<{
  readonly taskId: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Task ${this.taskId}: expected ${this.expected}, found ${this.found}. Nothing was recorded.`
  }
}

/** Reasons why a request was refused. Nothing was recorded. */
export type ControlError =
  | Options.InvalidOptions
  | TaskNotFound
  | Timelines.TimelineNotFound
  | NotControllable
  | AppendError

/** Pauses, continues and cancels tasks. */
export class TaskControl extends Context.Tag("hindcast/TaskControl")<TaskControl, TaskControl.Service>() {}

/** The type of the service: `TaskControl.Service`. */
export declare namespace TaskControl {
  /** The control of a log's tasks. */
  export interface Service {
    /**
     * Pauses an open task and the tasks below it, which its agents started: they start nothing new until they are
     * continued. Work in progress ends; an undispatched command waits.
     */
    readonly pause: (taskId: string, options: ControlOptions) => Effect.Effect<Event, ControlError>
    /** Continues a paused task, and the paused tasks below it. */
    readonly continue: (taskId: string, options: ControlOptions) => Effect.Effect<Event, ControlError>
    /**
     * Cancels an open task and the tasks below it, in one commit: their kernel interrupts the work in progress,
     * dispatches no further command, closes them as `abandoned` and scores them.
     */
    readonly cancel: (taskId: string, options: ControlOptions) => Effect.Effect<Event, ControlError>
    /** Cancels all open tasks, including those of forks. Returns the events. */
    readonly stop: (
      options: Omit<ControlOptions, "timeline">,
    ) => Effect.Effect<ReadonlyArray<Event>, Options.InvalidOptions | AppendError>
  }
}

/** Short form of `TaskControl.Service` for namespace imports. */
export type Service = TaskControl.Service

interface Request {
  readonly event: (options: ControlOptions) => CoreNewEvent
  /** Returns the state that the task should have, or undefined if it has it. */
  readonly wants: (state: ControlState) => string | undefined
}

type ControlState = "running" | "paused" | "cancelled"

const requests = {
  pause: {
    event: ({ by, reason }) => ({ type: "TaskPaused", payload: { by, ...because(reason) } }),
    wants: (state) => (state === "running" ? undefined : "one that is not paused"),
  },
  continue: {
    event: ({ by }) => ({ type: "TaskContinued", payload: { by } }),
    wants: (state) => (state === "paused" ? undefined : "a paused one"),
  },
  cancel: {
    event: ({ by, reason }) => ({ type: "TaskCancelled", payload: { by, ...because(reason) } }),
    wants: (state) => (state === "cancelled" ? "one that is not cancelled" : undefined),
  },
} satisfies { readonly [name: string]: Request }

const because = (reason: string | undefined) => (reason === undefined ? {} : { reason: plainText(reason) })

/** The service over a log. */
export const layer: Layer.Layer<TaskControl, never, EventLog> = Layer.effect(
  TaskControl,
  Effect.gen(function* () {
    const log = yield* EventLog
    const one = (name: keyof typeof requests) => (taskId: string, input: ControlOptions) =>
      Effect.gen(function* () {
        const options = yield* Options.decode(`tasks.${name}`, ControlOptions, input)
        const { timeline = log.timeline } = options
        const view = timeline === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
        return yield* request(view, taskId, requests[name], options, log)
      })
    return {
      pause: one("pause"),
      continue: one("continue"),
      cancel: one("cancel"),
      stop: (input) =>
        Effect.gen(function* () {
          const options = yield* Options.decode("tasks.stop", ControlOptions, input)
          const open = (yield* TaskList.open(log)).map(([taskId]) => ({ taskId, view: log }))
          const forked = (yield* ForkedTasks.list).filter(({ task }) => task.outcome === null)
          const views = yield* Effect.forEach(forked, ({ taskId, timeline }) =>
            Effect.map(Timelines.named(log, timeline), (named) => ({ taskId, view: Timelines.view(log, named) })),
          )
          const cancelled = yield* Effect.forEach([...open, ...views], ({ taskId, view }) =>
            request(view, taskId, requests.cancel, options).pipe(
              Effect.map((event) => [event]),
              Effect.catchTags({ NotControllable: () => Effect.succeed([]), TaskNotFound: () => Effect.succeed([]) }),
            ),
          )
          return cancelled.flat()
        }).pipe(Effect.catchTag("TimelineNotFound", Effect.die), Effect.provideService(EventLog, log)),
    }
  }),
)

const CONTROL = ["TaskOpened", "TaskPaused", "TaskContinued", "TaskCancelled", "TaskClosed", "TimelineForked"]

/** @param main the log of all tasks, if the request also reaches the tasks below one */
const request = (
  view: EventLog.Service,
  taskId: string,
  { event, wants }: Request,
  options: ControlOptions,
  main?: EventLog.Service,
): Effect.Effect<Event, TaskNotFound | NotControllable | AppendError> =>
  Effect.gen(function* () {
    const { timeline } = view
    const stream = `task/${taskId}`
    // Read first, so that an append in between causes a conflict.
    const version = yield* view.versionOf(stream, timeline)
    const events: Array<Event> = []
    yield* Pages.forEach(view.readPage, { timeline, taskId, types: CONTROL }, (page) => {
      for (const event of page) {
        // Requests to the parent do not apply to a fork.
        if (is(event, "TimelineForked")) events.splice(1)
        else events.push(event)
      }
    })
    const opened = events.find((event) => is(event, "TaskOpened"))
    if (opened === undefined) return yield* new TaskNotFound({ taskId })
    const wrong = wrongIn(events, wants)
    if (wrong !== undefined) return yield* new NotControllable({ taskId, ...wrong })
    const made = { causationId: opened.id, ...event(options) }
    const actor = `human:${options.by}`
    const below = main === undefined ? [] : yield* partsBelow(main, { taskId, timeline }, { event, wants }, options)
    const appending = { stream, taskId, actor, expected: Exact(version), events: [made], with: below }
    return yield* view.append(appending).pipe(
      Effect.flatMap(firstEvent),
      Effect.catchTag("VersionConflict", () => request(view, taskId, { event, wants }, options, main)),
    )
  })

/** The same request to the open tasks below one, as far as their state allows it. They are on `main`. */
const partsBelow = (
  main: EventLog.Service,
  place: TaskTree.Place,
  { event, wants }: Request,
  options: ControlOptions,
): Effect.Effect<ReadonlyArray<AppendPart>, LogError> =>
  Effect.map(TaskList.standings(main), (tasks) =>
    TaskTree.descendantsOf(tasks, place).flatMap(({ taskId, task }): ReadonlyArray<AppendPart> => {
      if (task.outcome !== null || wants(task.asked?.what ?? "running") !== undefined) return []
      const made = event(options)
      return [{ timeline: MAIN, stream: `task/${taskId}`, taskId, actor: `human:${options.by}`, events: [made] }]
    }),
  )

const wrongIn = (events: ReadonlyArray<Event>, wants: Request["wants"]) => {
  const closed = events.find((event) => is(event, "TaskClosed"))
  if (closed !== undefined && is(closed, "TaskClosed")) {
    return { expected: "an open one", found: `one that was closed as ${closed.payload.outcome} at @${closed.position}` }
  }
  const last = events.findLast((event) => !is(event, "TaskOpened"))
  const state =
    last === undefined || is(last, "TaskContinued") ? "running" : is(last, "TaskPaused") ? "paused" : "cancelled"
  const expected = wants(state)
  if (expected === undefined) return undefined
  const found = last === undefined ? "one that is not paused" : `one that is ${state}, since @${last.position}`
  return { expected, found }
}
