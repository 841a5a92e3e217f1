/**
 * Adds telemetry of a session to a task that another account has, in a stream of its own, so that neither writer waits.
 */

import { Effect, Stream } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import { IdSet, idsWithin } from "../runs/EventIds.ts"
import { SENDER } from "../runs/FormatCapture.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { Division, toldBesideTelemetry } from "./Division.ts"
import type { Place } from "./Owner.ts"
import * as Writing from "./Writing.ts"

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

/** Appends the events that the log does not have yet, first a mark. Returns how many of `events` were new. */
export const append = (
  writing: Writing.Writing,
  place: Place,
  events: ReadonlyArray<RunEvent>,
): Effect.Effect<number, AppendError> => Writing.untilUndisturbed(appendOnce(writing, place, events))

const appendOnce = (writing: Writing.Writing, place: Place, events: ReadonlyArray<RunEvent>) =>
  Effect.gen(function* () {
    const { log, source } = writing
    const { taskId, openedBy } = place
    const stream = `telemetry/${taskId}`
    const version = yield* log.versionOf(stream)
    const known = new IdSet()
    if (version > 0) yield* Stream.runForEach(log.read({ stream }), ({ id }) => Effect.sync(() => known.add(id)))
    const idOf = idsWithin(source, taskId, "beside")
    const division = new Division({ tasks: [place], isWhole: true, beforeMs: 0, told: toldBesideTelemetry })
    const added = division.divide(events).merged.map(({ event }) => event)
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
