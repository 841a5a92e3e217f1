/** Adds to a task that another recorder of the same session keeps, in a stream of its own, so that neither waits. */

import { Effect, Stream } from "effect"
import { type AppendError, type EventLog, Exact, type NewEvent } from "../events/log/EventLog.ts"
import { IdSet, idsWithin } from "../importing/runs/EventIds.ts"
import { SENDER } from "../importing/runs/FormatCapture.ts"
import type { RunEvent } from "../importing/runs/RunEvent.ts"

export interface Beside {
  readonly log: EventLog.Service
  /** Name of this recorder, for ids and actor. */
  readonly source: string
  readonly taskId: string
  /** The event that opened the task. */
  readonly openedBy: string
}

/** Events that the other recorder has, such as the task's opening and calls. */
const ADDED: ReadonlySet<string> = new Set(["ModelCalled", "ModelResponded", "ModelFailed", "SourceRecordKept"])

/** Tells readers of the task that these events prove nothing. */
const MARK: RunEvent["body"] = {
  type: "CaptureNoted",
  payload: { unseen: [{ what: SENDER.what, target: SENDER.why, count: 1 }] },
}

/** Appends the events that the log does not have yet, first a mark. Returns how many of `events` were new. */
export const append = (beside: Beside, events: ReadonlyArray<RunEvent>): Effect.Effect<number, AppendError> =>
  Effect.retry(appendOnce(beside, events), { while: ({ _tag }) => _tag === "VersionConflict" })

const appendOnce = ({ log, source, taskId, openedBy }: Beside, events: ReadonlyArray<RunEvent>) =>
  Effect.gen(function* () {
    const stream = `telemetry/${taskId}`
    const version = yield* log.versionOf(stream)
    const known = new IdSet()
    if (version > 0) yield* Stream.runForEach(log.read({ stream }), ({ id }) => Effect.sync(() => known.add(id)))
    const idOf = idsWithin(source, taskId, "beside")
    const added = events.filter(({ body }) => ADDED.has(body.type))
    const keys = new Set(added.map(({ key }) => key))
    const fresh = added.filter(({ key }) => known.add(idOf(key)))
    const [first] = fresh
    if (first === undefined) return 0
    const mark = { key: "mark", cause: null, at: first.at, body: MARK }
    const marked = known.add(idOf(mark.key)) ? [mark, ...fresh] : fresh
    for (let from = 0; from < marked.length; from += MAX_EVENTS)
      yield* log.append({
        stream,
        taskId,
        actor: `import:${source}`,
        expected: Exact(version + from),
        events: marked.slice(from, from + MAX_EVENTS).map(
          ({ key, cause, at, body }) =>
            ({
              id: idOf(key),
              causationId: cause !== null && keys.has(cause) ? idOf(cause) : openedBy,
              ...(at === null ? {} : { occurredAt: at }),
              type: body.type,
              payload: body.payload,
            }) as NewEvent,
        ),
      })
    return fresh.length
  })

/** Maximum number of events of a transaction. */
const MAX_EVENTS = 10_000
