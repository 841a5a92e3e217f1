import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Exit } from "effect"
import * as Argv from "../../src/cli/command/Argv.ts"
import * as Failure from "../../src/cli/command/Failure.ts"
import * as Program from "../../src/cli/Program.ts"

/** What a command line comes to. */
export interface Said {
  readonly code: number
  readonly stdout: string
  /** The message of a failure. */
  readonly error: string
}

/** Runs a command line by the modules of the sources, in this process. For what only prints: one at a time. */
export const run = async (words: ReadonlyArray<string>): Promise<Said> => {
  const { write } = process.stdout
  let stdout = ""
  process.stdout.write = (chunk: string | Uint8Array) => {
    stdout += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
    return true
  }
  try {
    const arranged = await Argv.arrange(words)
    const exit = await Effect.runPromiseExit(Effect.provide(Program.program(arranged), NodeContext.layer))
    if (Exit.isSuccess(exit)) return { code: 0, stdout, error: "" }
    const { exitCode, message } = Failure.ofCause(exit.cause, arranged.path)
    return { code: exitCode, stdout, error: message }
  } finally {
    process.stdout.write = write
  }
}
