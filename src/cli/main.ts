#!/usr/bin/env node
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Exit, Logger } from "effect"
import * as Argv from "./command/Argv.ts"
import * as Failure from "./command/Failure.ts"
import { program } from "./Program.ts"

const arranged = Argv.arrange(process.argv.slice(2))

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

program(arranged).pipe(
  Effect.raceFirst(readerGone),
  Effect.provide(NodeContext.layer),
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
