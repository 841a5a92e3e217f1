/** Runs `program` on the process's arguments and turns its result into output and an exit code. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Exit, Layer, Logger, MutableRef } from "effect"
import { FoldWatch } from "../projections/projector/FoldWatch.ts"
import * as Argv from "./command/Argv.ts"
import * as CommandHints from "./command/CommandHints.ts"
import * as Failure from "./command/Failure.ts"
import { program } from "./Program.ts"
import * as LongFolds from "./terminal/LongFolds.ts"
import * as UntilEnded from "./terminal/UntilEnded.ts"

/** Succeeds when the output's reader closes its end (`EPIPE`), as `head` does. That is not an error. */
const readerGone = Effect.async<void>((resume) => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      resume(Effect.void)
    })
  }
})

/** Flushes the output and exits, even if an agent's module left timers or handles open. */
const exit = (code: number) => process.stdout.write("", () => process.exit(code))

export const start = async (words: ReadonlyArray<string>): Promise<void> => {
  const arranged = await Argv.arrange(words)
  const untilEnded = MutableRef.make(false)
  program(arranged).pipe(
    Effect.provideService(UntilEnded.UntilEnded, untilEnded),
    Effect.provideService(FoldWatch, LongFolds.watch(arranged, process.stderr, CommandHints.inText)),
    Effect.raceFirst(readerGone),
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)),
    // The standard output holds only results; logs go to the standard error.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (result) => {
        const failure = Exit.isSuccess(result) ? undefined : Failure.ofCause(result.cause, arranged.path)
        if (failure !== undefined && UntilEnded.isToSay(untilEnded, failure))
          process.stderr.write(`${Failure.render(failure, arranged.json)}\n`)
        // A command that runs another program exits with that program's code.
        exit(failure?.exitCode ?? Number(process.exitCode ?? 0))
      },
    }),
  )
}
