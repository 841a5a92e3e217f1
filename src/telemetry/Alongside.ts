/** Adds to a task that another recorder of the same session keeps, in a stream of its own, so that neither waits. */

import { Effect, Stream } from "effect"
import type { AppendError } from "../events/log/EventLog.ts"
import { IdSet, idsWithin } from "../importing/runs/EventIds.ts"
import { SENDER } from "../importing/runs/FormatCapture.ts"
import type { RunEvent } from "../importing/runs/RunEvent.ts"
import * as Writing from "../importing/writing/Writing.ts"
import type { Place } from "./Owner.ts"

/** Events that the other recorder has, such as the task's opening and calls. */
const ADDED: ReadonlySet<string> = new Set(["ModelCalled", "ModelResponded", "ModelFailed", "SourceRecordKept"])

/** Tells readers of the task that these events prove nothing. */
const mark = (at: number | null) => ({
  key: "mark",
  cause: null,
  at,
  body: {
    type: "CaptureNoted",
    payload: { unseen: [{ what: SENDER.what, target: SENDER.why, count: 1 }] },
  } satisfies RunEvent["body"],
})

type Beside = Pick<Place, "taskId" | "openedBy">

/** Appends the events that the log does not have yet, first a mark. Returns how many of `events` were new. */
export const append = (
  writing: Writing.Writing,
  place: Beside,
  events: ReadonlyArray<RunEvent>,
): Effect.Effect<number, AppendError> => Writing.untilUndisturbed(appendOnce(writing, place, events))

const appendOnce = (writing: Writing.Writing, { taskId, openedBy }: Beside, events: ReadonlyArray<RunEvent>) =>
  Effect.gen(function* () {
    const { log, source } = writing
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
    const marking = mark(first.at)
    const marked = known.add(idOf(marking.key)) ? [marking, ...fresh] : fresh
    const written = marked.map((event) => {
      const { key, cause } = event
      return Writing.newEvent(writing, event, idOf(key), cause !== null && keys.has(cause) ? idOf(cause) : openedBy)
    })
    yield* Writing.append(writing, { stream, taskId, version }, written)
    return fresh.length
  })
