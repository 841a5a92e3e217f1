import { type Context, Effect } from "effect"
import { Any, type AppendError, EventLog, Exact, type Expected, NoStream } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import { fold } from "../../projections/fold/Projection.ts"
import * as RecoveryPlan from "./RecoveryPlan.ts"

type Log = Context.Tag.Service<EventLog>

/**
 * What is left to say after a kernel died of the forks in which it was at work, each in its own timeline.
 *
 * @param closed is told of each task that was closed so, on the log as its timeline tells it
 */
export const endAll = <E, R>(
  closed: (view: Log, event: Event) => Effect.Effect<void, E, R>,
): Effect.Effect<void, AppendError | E, EventLog | R> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    for (const timeline of yield* Timelines.list(log)) {
      const taskId = timeline.forked?.taskId ?? null
      if (taskId === null) continue
      const view = Timelines.view(log, timeline)
      const event = yield* endOne(log, view, taskId)
      if (event !== undefined) yield* closed(view, event)
    }
  })

/** Ends one fork's task; answers with the event that closes it, where it was open. */
const endOne = (log: Log, view: Log, taskId: string): Effect.Effect<Event | undefined, AppendError> =>
  Effect.gen(function* () {
    const { timeline } = view
    const [ended] = yield* log.readPage({ timeline, taskId, types: ["TaskClosed"] }, 1)
    if (ended !== undefined) return undefined
    const events: Array<Event> = []
    yield* Pages.forEach(view.readPage, { timeline, taskId }, (page) => {
      events.push(...page)
    })
    const state = fold(RecoveryPlan.unfinished, events)
    let close: Event | undefined
    for (const ending of RecoveryPlan.endingsInFork(state, taskId)) {
      const expected = expectedOf(events, timeline, ending.stream)
      const said = yield* view.append({ ...ending, expected, actor: "kernel" }).pipe(
        Effect.map((appended) => appended.events),
        // The kernel before was only stopped, and went on in this moment: what came is looked at first.
        Effect.catchTag("VersionConflict", () => Effect.succeed(undefined)),
      )
      if (said === undefined) return yield* endOne(log, view, taskId)
      close ??= said.find((event) => Vocabulary.is(event, "TaskClosed"))
    }
    return close
  })

/** Where a stream stands in its timeline: what that shares with its parent counts there. Of plugins' streams nothing depends on it. */
const expectedOf = (events: ReadonlyArray<Event>, timeline: string, stream: string): Expected => {
  if (stream.startsWith("plugin/")) return Any
  const last = events.findLast((event) => event.timeline === timeline && event.stream === stream)
  return last === undefined ? NoStream : Exact(last.version)
}
