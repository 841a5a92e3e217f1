/** The recording of a task in a log on a server, for programs that run without a network. */
import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as ServerUrl from "../../../events/log/ServerUrl.ts"
import * as RecordedEvents from "../../../record/replay/RecordedEvents.ts"
import * as Program from "../Program.ts"

/** The task's events; undefined for a log in a file, which the program reads itself. */
export const eventsOf = (taskId: string) =>
  Effect.flatMap(EventLog, ({ name }) =>
    ServerUrl.isAddress(name) ? RecordedEvents.eventsIn(name, taskId) : Effect.succeed(undefined),
  )

/** Writes them to a file that goes with the scope. */
export const fileOf = (taskId: string) =>
  Effect.gen(function* () {
    const events = yield* eventsOf(taskId)
    if (events === undefined) return undefined
    const file = path.join(yield* Program.temporaryDirectory, "recording.json")
    RecordedEvents.keep(file, events)
    return file
  })
