/** Event types of timelines. */

import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { eventType } from "./EventType.ts"

export const timelineEvents = [
  eventType(
    "TimelineForked",
    "A timeline goes on from a moment of another.",
    {
      timeline: Schema.NonEmptyString,
      parent: Schema.NonEmptyString,
      at: Schema.Int.annotations({ description: "The last position it shares with its parent" }),
      overrides: JsonObject.annotations({
        description:
          "What is otherwise than in the parent: `agent`, `seed`, `goal`, `readings`, `world`, and the `io` it goes on with",
      }),
    },
    { personal: { overrides: {} } },
  ),
] as const
