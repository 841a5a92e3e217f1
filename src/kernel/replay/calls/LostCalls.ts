/** The requests to models that the end of a kernel cut off: whoever resumes their task asks again, and pays again. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as ModelCallEnd from "../../../projections/state/ModelCallEnd.ts"
import type { LostCall } from "../../tasks/calls/ModelCall.ts"
import type { Task } from "../../tasks/Task.ts"
import * as RecordedCalls from "./RecordedCalls.ts"

interface Cut {
  /** Where the task was resumed without the answer. */
  readonly position: number
  readonly agentId: string | undefined
  readonly call: LostCall
}

/** `Task.lost` for a task that continues after these events. Pure. */
export const until = (events: ReadonlyArray<Event>, by: "resume" | "fork"): Task["lost"] => {
  const { resumed, open } = cutIn(events)
  // A fork asks again what the task that it left may still get an answer to.
  const all = by === "fork" ? resumed : [...resumed, ...open]
  return (agentId) => of(all, agentId)
}

/** `Task.lost` for an agent that is led over these events: the requests that were lost before a place. Pure. */
export const before = (events: ReadonlyArray<Event>, place: () => number): Task["lost"] => {
  let resumed: ReadonlyArray<Cut> | undefined
  return (agentId) => {
    resumed ??= cutIn(events).resumed
    const end = place()
    return of(
      resumed.filter(({ position }) => position < end),
      agentId,
    )
  }
}

const of = (cut: ReadonlyArray<Cut>, agentId: string | undefined): ReadonlyArray<LostCall> =>
  cut.flatMap((one) => (one.agentId === agentId ? [one.call] : []))

/** The requests without an answer: those before the task was resumed, and those after it. */
const cutIn = (events: ReadonlyArray<Event>) => {
  const { answerOf, endOf } = RecordedCalls.of(events)
  const resumed: Array<Cut> = []
  let open: Array<Cut> = []
  const firsts = new Map<string, RecordedCalls.Called>()
  for (const event of events) {
    if (is(event, "TaskResumed")) {
      const { position } = event
      resumed.push(...open.map((one) => ({ ...one, position })))
      open = []
    }
    if (is(event, "TimelineForked")) open = []
    if (!is(event, "ModelCalled") || ModelCallEnd.isOfCritic(event)) continue
    const { agentId, reserves, hedgeOf } = event.payload
    if (hedgeOf === undefined) firsts.set(event.id, event)
    // The answer to the first request counts, whichever call gave it.
    const first = firsts.get(hedgeOf ?? event.id)
    if (first === undefined || answerOf(first) !== undefined) continue
    const [end] = RecordedCalls.spentIn(endOf(event))
    open.push({ position: event.position, agentId, call: end === undefined ? { reserves } : { end } })
  }
  return { resumed, open }
}
