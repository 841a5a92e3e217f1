/** Begins an export to one file, and a log of imported events in another, says so, and never ends. */
import { Effect, Stream } from "effect"
import { Shared } from "../../../dist/cli/command/OpenLog.js"
import * as OutputFile from "../../../dist/cli/export/OutputFile.js"
import { importEvents } from "../../../dist/events/index.js"

const [output, log] = process.argv.slice(2)
let begun = 0
const stalls = Stream.fromEffect(
  Effect.suspend(() => {
    begun += 1
    if (begun === 2) console.log("stalled")
    return Effect.never
  }),
)
setInterval(() => {}, 1000)
await Effect.runPromise(
  Effect.all(
    [
      OutputFile.writeAll({ file: output }, Stream.concat(Stream.make("half"), stalls)),
      importEvents({ filename: log, events: stalls }),
    ],
    { concurrency: 2 },
  ).pipe(Effect.provideService(Shared, { decrypted: false })),
)
