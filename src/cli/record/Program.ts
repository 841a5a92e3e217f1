/** Runs a program in a process of its own, with Hindcast loaded before it. */
import { type StdioOptions, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Args } from "@effect/cli"
import { Data, Effect } from "effect"
import * as Redaction from "../../record/http/Redaction.ts"
import * as Unseen from "../../record/network/Unseen.ts"
import * as ErrorOutput from "../../record/process/ErrorOutput.ts"
import * as ProcessReport from "../../record/process/ProcessReport.ts"
import * as ProcessRun from "../../record/process/ProcessRun.ts"
import { defined } from "../../values/defined.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { BadInput } from "../command/BadInput.ts"

export const words = Args.text({ name: "command" }).pipe(
  Args.withDescription("The program, after --: node, its file and its arguments"),
  Args.repeated,
)

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly command: string; readonly reason: string }> {
  override get message() {
    return `${this.command}: expected a program that starts, found ${this.reason}`
  }
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The exit code that a shell would report. */
export const exitCodeOf = ({ code, signal }: Ended): number =>
  code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])

/** The module that Node loads before the program. */
export const PRELOAD = new URL("../../record/process/preload.js", import.meta.url).href

/** Checks that the words start Node: other programs ignore the preload. */
export const checked = (typed: ReadonlyArray<string>): Effect.Effect<Command, BadInput> => {
  const [node, ...others] = typed
  const isNode = node !== undefined && /^node(\.exe)?$/.test(path.basename(node))
  return isNode && others.length > 0
    ? Effect.succeed([node, ...others])
    : new BadInput({
        input: "--",
        expected: "node and a program after it, such as -- node agent.js",
        found: typed.length === 0 ? "nothing" : `"${typed.join(" ")}"`,
        advice: byTsx(typed) ?? OTHERS,
      })
}

export type Command = readonly [string, ...Array<string>]

const OTHERS =
  "Other runtimes and package managers start Node themselves: name the program that they start. A program in another language is recorded by `hindcast record --proxy -- python agent.py`."

/** Starts Node itself instead of `tsx`. */
const byTsx = (typed: ReadonlyArray<string>): string | undefined => {
  const at = typed.findIndex((word) => path.basename(word) === "tsx")
  const before = typed.slice(0, at)
  if (at < 0 || !before.every((word) => RUNNERS.has(path.basename(word)))) return undefined
  const words = ["node", "--import", "tsx", ...typed.slice(at + 1)]
  return `tsx starts Node itself. Start Node, with tsx in it: \`hindcast record -- ${words.map(quoteWord).join(" ")}\`.`
}

/** Words that may come before `tsx`. */
const RUNNERS: ReadonlySet<string> = new Set([
  "npx",
  "-y",
  "--yes",
  "--no-install",
  "npm",
  "exec",
  "--",
  "pnpm",
  "yarn",
  "bunx",
])

export interface Running {
  /** Default: this process's terminal. */
  readonly stdio?: StdioOptions
  readonly env?: { readonly [name: string]: string }
  /** Default: this process's. */
  readonly cwd?: string | undefined
}

/** Runs a command to its end. */
export type Start = (program: Command, running: Running) => Effect.Effect<Ended, NotStarted>

export interface Ran {
  readonly ended: Ended
  /** The process's report; undefined if the program did not start, which the process explained. */
  readonly report: ProcessReport.ProcessReport | undefined
  /** The last lines of its error output, without keys. Undefined if there are none, or if it wrote to a terminal. */
  readonly errors?: string | undefined
  /** Activity that was seen but could not be recorded. Default: none. */
  readonly unseen?: ReadonlyArray<Unseen.Item>
}

/**
 * Runs a program that records or replays.
 *
 * @param toldOf makes the settings for its process, given the file for its report
 */
export const runReporting = (
  program: Command,
  toldOf: (report: string) => ProcessRun.Reporting,
  running: Running = {},
  by: Start = start,
): Effect.Effect<Ran, NotStarted> =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "report.json")
      const ended = yield* run(program, toldOf(file), running, by)
      return { ended, report: ProcessReport.read(file), unseen: Unseen.read(Unseen.fileBeside(file)) }
    }),
  )

export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-program-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
)

/**
 * Runs the program to its end, with settings for its process. Ending this process ends it too.
 *
 * @param by how to run its command
 */
export const run = (
  [node, ...others]: Command,
  told: ProcessRun.ProcessRun,
  { stdio, env = {}, cwd }: Running = {},
  by: Start = start,
): Effect.Effect<Ended, NotStarted> =>
  by([node, "--import", PRELOAD, ...others], {
    ...defined({ stdio, cwd }),
    env: { ...ProcessRun.variablesOf(told.does), ...env, [ProcessRun.VARIABLE]: ProcessRun.write(told) },
  })

/** Runs a program, and keeps the last lines of its error output. @param run runs it to its end */
export const keepingErrors = <R>(
  running: Running,
  run: (running: Running) => Effect.Effect<Ended, NotStarted, R>,
): Effect.Effect<Pick<Ran, "ended" | "errors">, NotStarted, R> =>
  Effect.acquireUseRelease(
    Effect.promise(ErrorOutput.open),
    (output) =>
      Effect.gen(function* () {
        const [input, written] = Array.isArray(running.stdio) ? running.stdio : (["inherit", "inherit"] as const)
        const ended = yield* run({ ...running, stdio: [input, written, output.stdio] })
        const errors = yield* Effect.promise(output.ended)
        return { ended, ...defined({ errors: errors === undefined ? undefined : Redaction.make().text(errors) }) }
      }),
    ({ close }) => Effect.sync(close),
  )

/** A sentence's continuation with the last lines of a failed program's error output. */
export const endOfErrors = (errors: string | undefined): string =>
  errors === undefined ? "" : `. The end of its error output:\n${errors}`

/** Runs a command to its end. Ending this process ends it too. */
export const start = (
  [command, ...others]: Command,
  { stdio = "inherit", env = {}, cwd }: Running = {},
): Effect.Effect<Ended, NotStarted> =>
  Effect.async<Ended, NotStarted>((resume) => {
    // Some programs believe this variable.
    const place = cwd === undefined ? {} : { PWD: cwd }
    const child = spawn(command, others, { stdio, env: { ...process.env, ...place, ...env }, ...defined({ cwd }) })
    child.on("error", ({ message }) => resume(new NotStarted({ command, reason: message })))
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
