/** The method that writes a log's contents to a file, as `hindcast export` does, in a process of its own. */
import { execFile } from "node:child_process"
import { Effect, Schema } from "effect"
import * as CommandHints from "../../command/CommandHints.ts"
import * as Method from "../Method.ts"

const { optional } = Method

/** The exports that write one file and end: subcommands of `hindcast export`. */
const WHAT = ["events", "audits", "transitions", "otlp", "mcap", "piaavt", "html", "studio"] as const

const Exporting = Schema.Struct({
  log: Schema.Number,
  what: Schema.Literal(...WHAT),
  /** An absolute path. */
  output: Schema.String.pipe(
    Schema.filter((file) => file !== "-" && file !== "", { description: "a file; the connection has no other output" }),
  ),
  force: optional(Schema.Boolean),
  decrypt: optional(Schema.Boolean),
  format: optional(Schema.String),
  task: optional(Schema.String),
  scores: optional(Schema.String),
  timeline: optional(Schema.String),
})

/** Writes the file, and returns the command's `--json` output: the file, its size and counts. */
const exported = Method.make(
  "log.export",
  Exporting,
  ({ log, what, output, force = false, decrypt = false, ...texts }, { logs }) =>
    Effect.flatMap(logs.find(log), ({ filename }) =>
      run([
        ...["export", what, "--json", `--log=${filename}`, `--output=${output}`],
        ...(force ? ["--force"] : []),
        ...(decrypt ? ["--decrypt"] : []),
        ...Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
      ]),
    ),
)

/** The export's own error, under its own tag. */
class ExportFailed extends Error {
  readonly _tag: string

  constructor(tag: string, message: string) {
    super(message)
    this._tag = tag
  }
}

/** Maximum bytes that an export may print: its summary, or its error. */
const MAX_PRINTED = 16 * 1024 * 1024

const run = (args: ReadonlyArray<string>): Effect.Effect<unknown, ExportFailed> =>
  Effect.async<unknown, ExportFailed>((resume, signal) => {
    const options = { signal, maxBuffer: MAX_PRINTED }
    execFile(process.execPath, [CommandHints.main, ...args], options, (error, stdout, stderr) =>
      resume(error === null ? Effect.sync(() => JSON.parse(stdout)) : Effect.fail(failureIn(stderr, error.message))),
    )
  })

const Printed = Schema.parseJson(
  Schema.Struct({ error: Schema.Struct({ tag: Schema.String, message: Schema.String }) }),
)

/** The last line of the standard error is the error as JSON, unless the process was killed. */
const failureIn = (stderr: string, otherwise: string): ExportFailed => {
  const printed = Schema.decodeUnknownOption(Printed)(stderr.trimEnd().split("\n").at(-1))
  return printed._tag === "Some"
    ? new ExportFailed(printed.value.error.tag, printed.value.error.message)
    : new ExportFailed("ExportFailed", otherwise)
}

export const METHODS: ReadonlyArray<Method.Method> = [exported]
