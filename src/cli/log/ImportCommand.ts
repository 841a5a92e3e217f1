/** The command `hindcast log import`: rebuilds a log from the output of `hindcast export events`. */
import { Command } from "@effect/cli"
import { Effect, Either, Stream } from "effect"
import { NotImported } from "../../events/maintenance/Import.ts"
import type { StoredEvent } from "../../events/read/Records.ts"
import { importEvents } from "../../events/sqlite/import.ts"
import * as EventLines from "../../projections/exports/EventLines.ts"
import { argument, common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { at, count } from "../terminal/Text.ts"
import * as ImportLines from "./ImportLines.ts"

const file = argument("file", "All events as JSON Lines, written by `hindcast export events`; - is the standard input")

export const importing = Command.make("import", { ...common, file }, ({ log, json, file }) =>
  Effect.gen(function* () {
    const filename = yield* OpenLog.fileOf(log)
    const head = yield* ProgressLine.during({ verb: "imported", unit: "events", json }, (onProgress) => {
      let events = 0
      const pages = Stream.tap(decodeEvents(filename, file), (page) => {
        events += page.length
        return onProgress(events)
      })
      return importEvents({ filename, events: pages })
    })
    yield* Output.show(json, { log: filename, head }, (style) => [
      `${style.good("Imported")} ${count(head.position, "event")} to ${filename}; every line was checked. Its head is ${at(head.position)} ${style.dim(head.hash)}.`,
    ])
  }),
).pipe(
  Command.withDescription(
    "Create the log that --log names from exported events, with their positions, ids, times and hashes",
  ),
)

/** Decodes the events of a JSON Lines file. Fails with `NotImported` at the first invalid line. */
const decodeEvents = (log: string, file: string) => {
  const refuse = ({ line, reason }: ImportLines.BadLine) => new NotImported({ log, line, reason })
  let line = 0
  return Stream.mapEffect(ImportLines.of(file, refuse), (page) =>
    Effect.gen(function* () {
      const events: Array<StoredEvent> = []
      for (const text of page) {
        line += 1
        const decoded = EventLines.decode(text)
        if (Either.isLeft(decoded)) return yield* refuse({ line, reason: decoded.left })
        events.push(decoded.right)
      }
      return events
    }),
  )
}
