/** Runs a program in a process of its own, with Hindcast loaded before it. */
import { type StdioOptions, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Args } from "@effect/cli"
import { Data, Effect } from "effect"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import * as ProcessRun from "../../record/process/ProcessRun.ts"
import { BadInput } from "../command/BadInput.ts"

/** The words after `--`. */
export const words = Args.text({ name: "command" }).pipe(
  Args.withDescription("After --, the program: node, its file, its arguments"),
  Args.repeated,
)

/** The program could not be started. To recover, see that its command is there. */
export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly command: string; readonly reason: string }> {
  override get message() {
    return `${this.command}: expected a program that starts, found ${this.reason}`
  }
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The exit code that a shell reports for it. */
export const exitCodeOf = ({ code, signal }: Ended): number =>
  code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])

/** The URL of the module that is loaded before a program. */
export const PRELOAD = new URL("../../record/process/preload.js", import.meta.url).href

/** Checks that the words start Node: other programs do not load what is to be loaded before them. */
export const checked = (typed: ReadonlyArray<string>): Effect.Effect<readonly [string, ...Array<string>], BadInput> => {
  const [node, ...others] = typed
  const isNode = node !== undefined && /^node(\.exe)?$/.test(path.basename(node))
  return isNode && others.length > 0
    ? Effect.succeed([node, ...others])
    : new BadInput({
        input: "--",
        expected: "node and a program after it, such as -- node agent.js",
        found: typed.length === 0 ? "nothing" : `"${typed.join(" ")}"`,
        advice: "Other runtimes and package managers start Node themselves: name the program that they start.",
      })
}

/** How a program is run. */
export interface Running {
  /** Default: with the terminal of this process. */
  readonly stdio?: StdioOptions
  /** Further variables of its environment. */
  readonly env?: { readonly [name: string]: string }
}

/** A run that is recorded has ended. */
export interface Recorded {
  readonly ended: Ended
  /** How its task is closed where the program did not do it: it called `process.exit`, was killed, or its log failed. */
  readonly closing: { readonly outcome: TaskOutcome; readonly reason: string }
}

/** Runs a program that records. @param toldOf what it is told, with the file that it writes if its log fails */
export const runRecording = (
  program: readonly [string, ...Array<string>],
  toldOf: (failed: string) => ProcessRun.Recording,
  running: Running = {},
): Effect.Effect<Recorded, NotStarted> =>
  Effect.scoped(
    Effect.gen(function* () {
      const failed = path.join(yield* temporaryDirectory, "failed")
      const ended = yield* run(program, toldOf(failed), running)
      const failure = fs.existsSync(failed) ? fs.readFileSync(failed, "utf8") : null
      return { ended, closing: closingOf(ended, failure) }
    }),
  )

const closingOf = ({ code, signal }: Ended, failure: string | null): Recorded["closing"] => {
  const reason = code === null ? `its process ended by ${signal}` : `its process exited with ${code}`
  if (failure !== null) return { outcome: "abandoned", reason: `nothing more was recorded (${failure}); ${reason}` }
  return { outcome: code === 0 ? "achieved" : code === null ? "abandoned" : "failed", reason }
}

/** A directory for as long as the scope is open. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-program-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

/** Runs the program to its end. It is ended with this process. */
export const run = (
  [node, ...others]: readonly [string, ...Array<string>],
  told: ProcessRun.ProcessRun,
  { stdio = "inherit", env = {} }: Running = {},
): Effect.Effect<Ended, NotStarted> =>
  Effect.async<Ended, NotStarted>((resume) => {
    const child = spawn(node, ["--import", PRELOAD, ...others], {
      stdio,
      env: { ...process.env, ...env, [ProcessRun.VARIABLE]: ProcessRun.write(told) },
    })
    child.on("error", ({ message }) => resume(new NotStarted({ command: node, reason: message })))
    const closed = new Promise<void>((resolve) => {
      child.on("close", (code, signal) => {
        resume(Effect.succeed({ code, signal }))
        resolve()
      })
    })
    return Effect.promise(() => {
      child.kill("SIGTERM")
      return closed
    })
  })
