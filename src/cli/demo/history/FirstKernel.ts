/**
 * The program of a history's first kernel, a process of its own so that it can be killed in the middle. It ends by itself
 * when whoever started it is gone. Its argument is a `Start`, as JSON.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Schema } from "effect"
import { visibleLines } from "../../../values/PlainText.ts"
import * as Plan from "./Plan.ts"
import * as Season from "./Season.ts"
import { Start } from "./Start.ts"

/** Succeeds when the standard input has ended: nobody holds its other end any more. */
const abandoned = Effect.async<void>((resume) => {
  process.stdin
    .on("end", () => resume(Effect.void))
    .on("error", () => resume(Effect.void))
    .resume()
})

Effect.gen(function* () {
  const { tasks, ...place } = yield* Schema.decodeUnknown(Schema.parseJson(Start))(process.argv[2])
  yield* Effect.raceFirst(Season.untilTheCrash(place, Plan.plan(tasks, place.seed)), abandoned)
}).pipe(
  NodeRuntime.runMain({
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit) => {
      const failed = Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)
      if (failed) process.stderr.write(`${visibleLines(Cause.pretty(exit.cause))}\n`)
      process.exit(failed ? 1 : 0)
    },
  }),
)
