/** The command line from what was typed to the process's end. `main` loads it, unless it can answer by itself. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Exit, Layer, Logger } from "effect"
import type * as Argv from "./Argv.ts"
import * as Failure from "./Failure.ts"
import { program } from "./Program.ts"

/** Succeeds when whoever reads the output has gone away, as `head` does. That is no error. */
const readerGone = Effect.async<void>((resume) => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      resume(Effect.void)
    })
  }
})

/** Ends the process once all was written, whatever else an agent's module left running. */
const exit = (code: number) => process.stdout.write("", () => process.exit(code))

/** Runs what was typed, and ends the process. */
export const start = (arranged: Argv.Arranged): void =>
  program(arranged).pipe(
    Effect.raceFirst(readerGone),
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)),
    // The standard output holds answers only.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (result) => {
        const failure = Exit.isSuccess(result) ? undefined : Failure.ofCause(result.cause, arranged.path)
        if (failure !== undefined) process.stderr.write(`${Failure.render(failure, arranged.json)}\n`)
        exit(failure?.exitCode ?? 0)
      },
    }),
  )
