/**
 * Runs the season's first kernel in its own process so that it can be killed. It exits with its parent process. Its
 * argument is `Crash.Start` as JSON.
 */
import { Cause, Effect, Exit, Fiber, Schema } from "effect"
import { Start } from "./Crash.ts"
import * as Kernels from "./Kernels.ts"
import * as Plan from "./Plan.ts"

/** Succeeds when the standard input ends: the parent process is gone. */
const parentGone = Effect.async<void>((resume) => {
  process.stdin
    .on("end", () => resume(Effect.void))
    .on("error", () => resume(Effect.void))
    .resume()
})

const firstKernel = Effect.gen(function* () {
  const { tasks, ...paths } = yield* Schema.decodeUnknown(Schema.parseJson(Start))(process.argv[2])
  yield* Effect.raceFirst(Kernels.untilTheCrash(paths, Plan.plan(tasks, paths.seed)), parentGone)
})

const fiber = Effect.runFork(firstKernel)
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
fiber.addObserver((exit) => {
  const failed = Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)
  if (failed) process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  process.exit(failed ? 1 : 0)
})
