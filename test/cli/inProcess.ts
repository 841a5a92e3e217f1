import * as path from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Exit, Logger } from "effect"
import type * as ArgvModule from "../../src/cli/command/Argv.ts"
import type * as FailureModule from "../../src/cli/command/Failure.ts"
import type * as ProgramModule from "../../src/cli/Program.ts"
import { built } from "../built.ts"
import type { Ended, Starting } from "./hindcast.ts"

/** How the program ended, and what it wrote: apart, and as it came. */
interface Said extends Ended {
  readonly both: string
}

const cli = built("cli")

/** The program's modules as they are shipped, before they become one file. */
const load = async () => {
  const [Argv, Failure, Program]: [typeof ArgvModule, typeof FailureModule, typeof ProgramModule] = await Promise.all([
    import(path.join(cli, "command", "Argv.js")),
    import(path.join(cli, "command", "Failure.js")),
    import(path.join(cli, "Program.js")),
  ])
  return { Argv, Failure, Program }
}

let before: Promise<unknown> = Promise.resolve()

/**
 * Runs the program in the process of the tests, as `cli/main` does in one of its own: a start costs more than most
 * commands. One at a time, for it writes to the process's outputs and asks for its directory, arguments and variables.
 */
export const runInProcess = (args: ReadonlyArray<string>, starting: Starting = {}): Promise<Said> => {
  const ended = before.then(() => runNow(args, starting))
  before = ended.catch(() => undefined)
  return ended
}

const runNow = async (args: ReadonlyArray<string>, { cwd, env = {} }: Starting): Promise<Said> => {
  const { Argv, Failure, Program } = await load()
  const [directory, argv] = [process.cwd(), process.argv]
  const variables = { HINDCAST_LOG: undefined, ...env }
  const kept = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  const written: Array<Written> = []
  const outputs = [process.stdout, process.stderr] as const
  const releases = outputs.map((output) => captured(output, written))
  try {
    if (cwd !== undefined) process.chdir(cwd)
    process.argv = [process.execPath, path.join(cli, "main.js"), ...args]
    setVariables(Object.entries(variables))
    const arranged = await Argv.arrange(args)
    const exit = await Effect.runPromiseExit(
      Program.program(arranged).pipe(
        Effect.provide(NodeContext.layer),
        Effect.provide(Logger.replace(Logger.defaultLogger, errorOutput)),
      ),
    )
    const failure = Exit.isSuccess(exit) ? undefined : Failure.ofCause(exit.cause, arranged.path)
    if (failure !== undefined) process.stderr.write(`${Failure.render(failure, arranged.json)}\n`)
    const [stdout, stderr] = outputs.map((output) => textOf(written.filter((one) => one.output === output)))
    return { code: failure?.exitCode ?? 0, stdout: stdout ?? "", stderr: stderr ?? "", both: textOf(written) }
  } finally {
    for (const release of releases) release()
    setVariables(kept)
    process.argv = argv
    process.chdir(directory)
  }
}

const errorOutput = Logger.map(Logger.logfmtLogger, (line) => process.stderr.write(`${line}\n`))

const setVariables = (variables: ReadonlyArray<readonly [string, string | undefined]>) => {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** A part of what was written, and where. */
interface Written {
  readonly output: NodeJS.WriteStream
  readonly bytes: Buffer
}

const textOf = (written: ReadonlyArray<Written>): string =>
  Buffer.concat(written.map(({ bytes }) => bytes)).toString("utf8")

/** Keeps what is written to an output, until it is released. */
const captured = (output: NodeJS.WriteStream, written: Array<Written>): (() => void) => {
  const { write } = output
  output.write = (chunk: string | Uint8Array, ...rest: ReadonlyArray<unknown>) => {
    written.push({ output, bytes: Buffer.from(chunk as string) })
    const told = rest.find((argument) => typeof argument === "function")
    if (told !== undefined) process.nextTick(told as () => void)
    return true
  }
  return () => {
    output.write = write
  }
}
