/** The option `--jobs`: how many threads read a log. */
import * as os from "node:os"
import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { wholeNumber } from "./CommonOptions.ts"

export const jobs = wholeNumber("jobs", 1).pipe(
  Options.withDescription(
    "The number of threads that read the log. Default: one for each processor, or 1 for a log of fewer than 50,000 events",
  ),
  Options.optional,
)

/** Reading fewer events takes less time than starting threads. */
const WORTH_THREADS = 50_000

export const asManyAsProcessors = (typed: Option.Option<number>) =>
  Effect.gen(function* () {
    if (Option.isSome(typed)) return typed.value
    const { position } = yield* (yield* EventLog).head
    return position < WORTH_THREADS ? 1 : os.availableParallelism()
  })
