/** Follows the log at the URL in `BENCH_LOG`. Prints a line when it has caught up, and one for each event: when it saw it, and its text. */
import { Effect, Stream } from "effect"
import { EventLog } from "../../dist/index.js"

const say = (text) => process.stdout.write(`${text}\n`)

await Effect.runPromise(
  Effect.flatMap(EventLog.EventLog, (log) =>
    Stream.runForEach(log.follow(), (event) =>
      Effect.sync(() => {
        if (event._tag === "CaughtUp") say("ready")
        else if (event.payload.text !== "first")
          say(`${performance.timeOrigin + performance.now()} ${event.payload.text}`)
      }),
    ),
  ).pipe(Effect.provide(EventLog.layerPostgres({ url: process.env.BENCH_LOG, readonly: true }))),
)
