/** Options for recording a run. */

import { Either, Schema } from "effect"
import type { Fetch } from "../agents/models/Fetch.ts"
import { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import { Risk } from "../plugins/manifest/fields.ts"
import * as Options from "../values/Options.ts"
import * as Redaction from "./http/Redaction.ts"
import type { OnLogFailure } from "./log/RunLog.ts"
import type { ToolOptions } from "./Run.ts"

/** Options of `record`. */
export interface RecordOptions {
  /** The log's file, or `postgres://…`; created if it does not exist. */
  readonly log: string
  /** The aim of the run. */
  readonly goal: string
  /** The program's name, or `name@version`. */
  readonly agent: string
  /** The task's id. Default: a new one. */
  readonly id?: string
  /**
   * Continues the run with this id if it is open, because `run.leave()` left it or its process is gone; otherwise
   * begins one. Default: false; a used id then rejects with `TaskIdTaken`.
   */
  readonly continue?: boolean
  /**
   * The person whose personal data the run contains. The data, in forks too, is encrypted with this subject's key until
   * `PersonalData.shred` or `hindcast log shred` destroys the key. Default: none.
   */
  readonly subject?: string
  /** The gate for tool calls. Default: every call is allowed. */
  readonly gate?: Gate.GateConfig
  /**
   * The reaction to a failed log during the run. `go-on`: the program continues unrecorded, the process emits one
   * warning, and tools behind a gate are refused. `stop`: every call rejects with `RecordingFailed`. Default: `go-on`.
   */
  readonly onLogFailure?: OnLogFailure
  /** Texts of at least 8 characters never to record, in addition to keys in requests and in the environment. */
  readonly secrets?: ReadonlyArray<string>
  /** Makes the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch
}

const Fields = Options.of<RecordOptions>({
  required: { log: Options.Path, goal: Options.Text, agent: Options.Name },
  optional: {
    id: Schema.String,
    continue: Schema.Boolean,
    subject: Options.Name,
    gate: Gate.GateConfig,
    onLogFailure: Schema.Literal("go-on", "stop"),
    secrets: Redaction.Declared,
    fetch: Options.callable<Fetch>(),
  },
})

/** Decodes the options of `record`. Throws `InvalidOptions`, which names every mistake. */
export const decode = (options: unknown): RecordOptions => {
  const decoded = orThrow(Options.decode("record", Fields, options))
  if (decoded.continue !== true || decoded.id !== undefined) return decoded
  const problems = [{ path: "id", expected: "the id of the run to continue", found: "none" }]
  throw new Options.InvalidOptions({ of: "record", problems })
}

const End = Options.of<{ readonly outcome: TaskOutcome; readonly reason?: string }>({
  required: { outcome: TaskOutcome },
  optional: { reason: Schema.String },
})

/** Decodes the arguments of `run.end`. Throws `InvalidOptions`. */
export const endOf = (outcome: unknown, reason: unknown) => orThrow(Options.decode("run.end", End, { outcome, reason }))

const ToolFields = Options.of<ToolOptions>({ optional: { risk: Risk, description: Options.Text } })

export const toolOptions = (options: unknown = {}): ToolOptions =>
  orThrow(Options.decode("run.tool", ToolFields, options))

const Named = Options.of<{ readonly name: string }>({ required: { name: Options.Name } })

export const nameOf = (of: string, name: unknown): string => orThrow(Options.decode(of, Named, { name })).name

const ToolNamed = Options.of<{ readonly name: string }>({
  required: {
    name: Options.Name.pipe(
      Schema.filter((name) => /^[^\s/]+$/u.test(name)),
      Schema.annotations({ description: "a name without spaces and slashes" }),
    ),
  },
})

/** Checks a tool's name, which becomes `program/name`. Throws `InvalidOptions`. */
export const toolNameOf = (name: unknown): string => orThrow(Options.decode("run.tool", ToolNamed, { name })).name

export const orThrow = <A>(decoded: Either.Either<A, Options.InvalidOptions>): A =>
  Either.getOrThrowWith(decoded, (invalid) => invalid)
