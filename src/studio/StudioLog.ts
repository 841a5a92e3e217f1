/** The log that Studio shows: its histories, and caches for the tasks that people looked at. */

import { Context, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { EventLog, type LogError, MAIN } from "../events/log/EventLog.ts"
import { Lease } from "../events/log/Lease.ts"
import { Presence } from "../events/log/Presence.ts"
import { Snapshots } from "../events/log/Snapshots.ts"
import { Records } from "../events/read/Records.ts"
import type { TimelineNotFound } from "../events/read/Timelines.ts"
import type { CoreName } from "../events/vocabulary/Vocabulary.ts"
import * as TaskActivity from "../kernel/recovery/TaskActivity.ts"
import { TaskNotFound } from "../projections/audit/TaskAudit.ts"
import type { Brief } from "../projections/explanation/FailureChain.ts"
import { Projector } from "../projections/projector/Projector.ts"
import type { Activity } from "../projections/summary/Activity.ts"
import * as TimelineHistory from "../projections/timetravel/TimelineHistory.ts"
import * as Search from "../search/Search.ts"
import * as TaskFacts from "./course/facts/TaskFacts.ts"
import * as TaskSpans from "./course/facts/TaskSpans.ts"
import { Outline } from "./course/Outline.ts"
import * as ScopeCourse from "./course/ScopeCourse.ts"
import * as EventIndex from "./index/EventIndex.ts"
import * as OutlinePages from "./index/OutlinePages.ts"
import * as TaskFamilies from "./index/TaskFamilies.ts"
import * as TimelineEvents from "./index/TimelineEvents.ts"
import * as ModelSums from "./overview/ModelSums.ts"
import * as OutlineFacts from "./overview/OutlineFacts.ts"
import { Remembered } from "./Remembered.ts"
import type { ModelTotals, TaskModels } from "./wire/Task.ts"

type History = TimelineHistory.TimelineHistory

/** The model use of each task, and of several together. */
export interface CountedModels {
  readonly of: (taskId: string) => TaskModels
  readonly together: (taskIds: ReadonlyArray<string>) => ModelTotals | null
}

export interface ListedEvents {
  readonly events: TimelineEvents.TimelineEvents
  readonly isWhole: boolean
}

/** The events of a timeline, and the fiber that reads further ones. */
interface Listing {
  readonly events: TimelineEvents.TimelineEvents
  folding: Fiber.RuntimeFiber<void, LogError> | null
}

export class StudioLog extends Context.Tag("hindcast/studio/StudioLog")<
  StudioLog,
  {
    readonly index: EventIndex.EventIndex
    /** The search of the log's words, whose index grows in the background. */
    readonly search: Search.Service
    /** Pauses the index while an effect runs, for a second at most. */
    readonly answering: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly past: (timeline: string) => Effect.Effect<History, TimelineNotFound | LogError>
    /** All events of a task on a timeline, up to the head of the log. The outline keeps growing, so read it at once. */
    readonly outline: (past: History, taskId: string) => Effect.Effect<Outline, TaskNotFound | LogError>
    /** The duration and the model use of a task, as its audit counts them. */
    readonly facts: (past: History, taskId: string) => Effect.Effect<TaskFacts.TaskFacts, LogError>
    /** A list's facts about a task's indexed events, cached until the task has another event. */
    readonly outlineFacts: (past: History, taskId: string, ends: OutlineFacts.Ends) => OutlineFacts.OutlineFacts
    /** The models of a timeline's tasks. Undefined, at first, while they are being counted. */
    readonly models: (past: History) => Effect.Effect<CountedModels | undefined, LogError>
    /** Waits until the models are counted once. */
    readonly modelsCounted: (past: History) => Effect.Effect<void, LogError>
    /** Explanations of tasks in short, by timeline, task, and what else they depend on. */
    readonly briefs: Remembered<{ brief: Brief | undefined }>
    /** Finds the activities of open tasks. Looks for the log's kernel once. */
    readonly activities: Effect.Effect<(task: TaskActivity.OpenTask) => Effect.Effect<Activity, LogError>>
    /** The parts of a task that take time, up to the head of the log. */
    readonly spans: (past: History, taskId: string) => Effect.Effect<TaskSpans.TaskSpans, LogError>
    /** Which tasks started which others, up to the head of the log. */
    readonly families: (past: History) => Effect.Effect<TaskFamilies.TaskFamilies, LogError>
    /**
     * The events of a timeline with their agents, plugins and calls. The first time, reads the timeline in the background,
     * and `isWhole` says whether it is done.
     */
    readonly listed: (past: History) => Effect.Effect<ListedEvents, LogError>
    readonly scope: (past: History, taskId: string | null) => Effect.Effect<ScopeCourse.ScopeCourse, LogError>
  }
>() {}

/** Maximum number of events in cached outlines, about 30 bytes each. */
const MAX_OUTLINED = 1_000_000

/** Maximum number of tasks whose audits are cached. */
const MAX_FOLDED = 200

/** Maximum number of spans in cached tasks, about 200 bytes each. */
const MAX_SPANS = 200_000

/** Maximum number of events in cached timelines, about 20 bytes each. */
const MAX_LISTED = 4_000_000

/** Maximum number of cached tasks that others started. */
const MAX_CHILDREN = 200_000

/** Maximum time that a request waits for the rest of a timeline. */
const LISTING_WAIT = "300 millis"

/** Maximum number of cached states. States of one task share structure. */
const MAX_STATES = 5_000

const SHREDDED: CoreName = "PayloadShredded"

/** Longest pause of the index for a request. */
const MAX_PAUSE = "1 second"

/** How often the search takes up new events while nobody searches. */
const SEARCH_EVERY = "2 seconds"

/** Builds the index in the background until the layer's scope closes. */
export const layer: Layer.Layer<StudioLog, never, EventLog | Records | Projector> = Layer.scoped(
  StudioLog,
  Effect.gen(function* () {
    const log = yield* EventLog
    const reading = { log, records: yield* Records }
    const projector = yield* Projector
    const snapshots = yield* Effect.serviceOption(Snapshots)
    const writers = {
      lease: Option.getOrUndefined(yield* Effect.serviceOption(Lease)),
      presence: Option.getOrUndefined(yield* Effect.serviceOption(Presence)),
    }
    const idle = yield* Effect.makeLatch(true)
    let answers = 0
    const outlines = new Remembered<Outline>(MAX_OUTLINED, ({ length }) => length)
    const folded = new Remembered<TaskFacts.Folded>(MAX_FOLDED, () => 1)
    const briefs = new Remembered<{ brief: Brief | undefined }>(MAX_FOLDED, () => 1)
    const scopes = new Remembered<ScopeCourse.ScopeCourse>(MAX_STATES, ({ size }) => size())
    const spans = new Remembered<TaskSpans.TaskSpans>(MAX_SPANS, ({ size }) => size)
    const families = new Remembered<TaskFamilies.TaskFamilies>(MAX_CHILDREN, ({ size }) => size)
    const timelines = new Remembered<Listing>(MAX_LISTED, ({ events }) => events.length)
    const forget = () => {
      scopes.clear()
      timelines.clear()
      families.clear()
      spans.clear()
      briefs.clear()
    }
    const index = yield* EventIndex.make(reading, {
      pause: Effect.asVoid(Effect.timeoutOption(idle.await, MAX_PAUSE)),
      onEvent: (type) => {
        if (type === SHREDDED) forget()
      },
    })
    const search = yield* Search.make
    const pause = Effect.asVoid(Effect.timeoutOption(idle.await, MAX_PAUSE))
    // The outline of the log comes first: the first screen waits for it. A failure shows up in the next search.
    yield* Effect.forkScoped(
      Effect.zipRight(
        Effect.ignore(index.complete),
        Effect.repeat(Effect.ignore(search.build({ pause })), Schedule.spaced(SEARCH_EVERY)),
      ),
    )
    const outlined = new Map<string, { readonly last: number; readonly facts: OutlineFacts.OutlineFacts }>()
    const counts = new Map<string, Fiber.Fiber<void, LogError>>()
    const scope = yield* Effect.scope

    const outlineFacts = (past: History, taskId: string, ends: OutlineFacts.Ends): OutlineFacts.OutlineFacts => {
      const key = JSON.stringify([past.timeline, taskId, ends.to])
      const last = index.lastOf(taskId)
      const known = outlined.get(key)
      if (known?.last === last) return known.facts
      const facts = OutlineFacts.of(index.outline(past.spans, taskId), ends)
      outlined.set(key, { last, facts })
      return facts
    }

    const sumsOf = (past: History) =>
      Effect.flatMap(
        past.timeline === MAIN ? Effect.succeed(projector) : Effect.orDie(projector.on(past.timeline)),
        (on) => on.current(ModelSums.projection),
      )

    /** The first fold may read much of the log, so no request waits for it, and it begins after the index. */
    const counting = (past: History): Effect.Effect<Fiber.Fiber<void, LogError>> =>
      Effect.suspend(() => {
        const known = counts.get(past.timeline)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.tap(
          Effect.forkIn(Effect.zipRight(Effect.ignore(index.complete), Effect.asVoid(sumsOf(past))), scope),
          (fiber) => Effect.sync(() => counts.set(past.timeline, fiber)),
        )
      })

    const models = (past: History) =>
      Effect.gen(function* () {
        const done = yield* Fiber.poll(yield* counting(past))
        if (Option.isNone(done)) return undefined
        const sums = yield* sumsOf(past)
        return {
          of: (taskId: string) => ModelSums.of(sums, taskId),
          together: (taskIds: ReadonlyArray<string>) => ModelSums.together(sums, taskIds),
        }
      })

    let epoch: string | undefined

    /** Drops all states after a subject was shredded: they may hold that subject's data. */
    const inEpoch = Effect.map(Option.isSome(snapshots) ? snapshots.value.epoch : Effect.succeed(""), (now) => {
      if (epoch !== undefined && epoch !== now) forget()
      epoch = now
    })

    const outline = (past: History, taskId: string) =>
      Effect.gen(function* () {
        const known = outlines.get([past.timeline, taskId], () =>
          index.isComplete() ? index.outline(past.spans, taskId) : new Outline(),
        )
        yield* OutlinePages.forEachOf(reading, past, { taskId, after: known.last }, (page) =>
          Effect.sync(() => {
            // A concurrent request may have read the same events.
            for (const event of page) if (event.position > known.last) known.take(event)
          }),
        )
        return known.length === 0 ? yield* new TaskNotFound({ taskId }) : known
      })

    /** One fold at a time reads a timeline, and no request interrupts it. */
    const listed = (past: History) =>
      Effect.gen(function* () {
        const listing = timelines.get([past.timeline], () => ({
          events: new TimelineEvents.TimelineEvents(),
          folding: null,
        }))
        listing.folding ??= yield* Effect.forkIn(
          Effect.ensuring(
            TimelineEvents.extend(past, listing.events),
            Effect.sync(() => {
              listing.folding = null
            }),
          ),
          scope,
        )
        yield* Effect.timeoutOption(Fiber.join(listing.folding), LISTING_WAIT)
        return { events: listing.events, isWhole: listing.folding === null }
      })

    return {
      index,
      search,
      answering: (effect) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            answers += 1
            idle.unsafeClose()
          }),
          () => effect,
          () =>
            Effect.sync(() => {
              answers -= 1
              if (answers === 0) idle.unsafeOpen()
            }),
        ),
      past: (timeline) => TimelineHistory.of(log, projector, timeline),
      outline,
      briefs,
      facts: (past, taskId) =>
        TaskFacts.of(
          past,
          taskId,
          folded.get([past.timeline, taskId], () => new TaskFacts.Folded()),
        ),
      spans: (past, taskId) =>
        TaskSpans.of(
          past,
          taskId,
          spans.get([past.timeline, taskId], () => new TaskSpans.TaskSpans()),
        ),
      families: (past) =>
        Effect.zipRight(
          inEpoch,
          Effect.suspend(() =>
            TaskFamilies.extend(
              log,
              past,
              families.get([past.timeline], () => new TaskFamilies.TaskFamilies()),
            ),
          ),
        ),
      listed: (past) => Effect.zipRight(inEpoch, listed(past)),
      activities: Effect.map(
        Effect.cached(TaskActivity.kernelState(writers)),
        (kernel) => (task) => Effect.flatMap(kernel, (state) => TaskActivity.of(log, writers, state, task)),
      ),
      outlineFacts,
      models,
      modelsCounted: (past) => Effect.flatMap(counting(past), Fiber.join),
      scope: (past, taskId) =>
        Effect.map(inEpoch, () =>
          scopes.get([past.timeline, ...(taskId === null ? [] : [taskId])], () => ScopeCourse.make(past, taskId)),
        ),
    }
  }),
)
