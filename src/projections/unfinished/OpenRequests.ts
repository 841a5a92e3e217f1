/** The projection of host requests without an answer. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"

const Request = Schema.Struct({
  plugin: Schema.String,
  requestId: Schema.String,
  taskId: Schema.NullOr(Schema.String),
  /** The event that made the plugin send it. */
  causationId: Schema.NullOr(Schema.String),
})

type Request = typeof Request.Type

const Requests = Schema.Record({ key: Schema.String, value: Request }).annotations({ identifier: "OpenRequests" })

const keyOf = (plugin: string, requestId: string): string => `${plugin}/${requestId}`

const apply = (requests: RecordBuilder<Request>, event: Event): void => {
  if (is(event, "BrokerRequested")) {
    const { plugin, requestId } = event.payload
    const { taskId, causationId } = event
    requests.set(keyOf(plugin, requestId), { plugin, requestId, taskId, causationId })
  } else if (is(event, "BrokerAnswered")) {
    requests.remove(keyOf(event.payload.plugin, event.payload.requestId))
  }
}

/** The host requests without an answer in the log, by plugin and request. */
export const projection = recordProjection({ name: "OpenRequests", version: 1, state: Requests, apply })
