/** The projection of runners whose sessions have not ended in the log. */

import { Schema } from "effect"
import { EpochMs, type Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

/** A runner's session. Whether it lives shows only in its heartbeats. */
export const RunnerSession = Schema.Struct({
  runner: Schema.String,
  version: Schema.String,
  host: Schema.String,
  pid: Schema.NonNegativeInt,
  slots: Schema.Int,
  agents: Schema.Array(Schema.String),
  labels: Schema.Array(Schema.String),
  startedAt: EpochMs,
  draining: Schema.Boolean.annotations({ description: "Somebody asked it to drain" }),
}).annotations({ identifier: "RunnerSession" })

export type RunnerSession = typeof RunnerSession.Type

/** By the session's identity, the first started first. */
export const Runners = Schema.Record({ key: Schema.String, value: RunnerSession }).annotations({
  identifier: "Runners",
})

export type Runners = typeof Runners.Type

const apply = (runners: RecordBuilder<RunnerSession>, event: Event): void => {
  if (is(event, "RunnerStarted")) {
    const { session, ...started } = event.payload
    runners.set(session, { ...started, startedAt: event.recordedAt, draining: false })
  } else if (is(event, "RunnerDrainRequested")) {
    runners.change(event.payload.session, (runner) => ({ ...runner, draining: true }))
  } else if (is(event, "RunnerStopped") || is(event, "RunnerLost")) runners.remove(event.payload.session)
}

/** Every session that neither stopped nor was declared lost. */
export const projection = recordProjection({ name: "Runners", version: 1, state: Runners, apply })
