/** Event types of timelines. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { eventType } from "./EventType.ts"

export const timelineEvents = [
  eventType(
    "TimelineForked",
    "A timeline branches off at a moment of another.",
    {
      timeline: Schema.NonEmptyString,
      parent: Schema.NonEmptyString,
      at: Schema.Finite.annotations({
        description: "The last position it shares with its parent; not whole within a `StepsRecorded`",
      }),
      overrides: JsonObject.annotations({
        description:
          "Differences from the parent: `agent`, `seed`, `goal`, `readings`, `world`, and the `io` that it continues with",
      }),
    },
    { personal: { overrides: {} } },
  ),
] as const
