import { Effect } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { fold } from "../../../src/projections/fold/Projection.ts"
import * as JsonPointer from "../../../src/projections/patch/JsonPointer.ts"
import { type EnvironmentState, projection } from "../../../src/projections/state/EnvironmentState.ts"
import { type Json, pointerKeys } from "../../../src/values/Json.ts"
import { requestOf, type Unplaced } from "../given.ts"

/** Appends many events in as few steps as there are runs of one stream. */
export const appendAll = (events: ReadonlyArray<Unplaced>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const appended = yield* Effect.all(
      events.map((each) => log.append(requestOf(each))),
      { concurrency: "unbounded" },
    )
    return appended.flatMap((one) => one.events)
  })

/** The state after each of these events, the initial one first: everything that time travel answers follows from it. */
export const statesOf = (events: ReadonlyArray<Event>): ReadonlyArray<EnvironmentState> => {
  const states = [projection.initial]
  for (const event of events) states.push(fold(projection, [event], states.at(-1)))
  return states
}

/** What is at a path of each state. */
export const valuesAt = (states: ReadonlyArray<EnvironmentState>, path: string): ReadonlyArray<Json | undefined> =>
  states.map((state) => JsonPointer.valueAt(state, pointerKeys(path)))

/** Every path of a value and of what is in it. */
export const pathsOf = (value: Json | undefined, path = ""): ReadonlyArray<string> => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) => pathsOf(JsonPointer.member(value, key), `${path}${JsonPointer.write([key])}`))
    : []),
]
