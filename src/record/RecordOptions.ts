/** The options of recording a run. */

import { Either, Schema } from "effect"
import type { Fetch } from "../agents/models/Fetch.ts"
import { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import * as Gate from "../kernel/gate/Gate.ts"
import { Risk } from "../plugins/manifest/fields.ts"
import * as Options from "../values/Options.ts"
import type { OnLogFailure } from "./log/RunLog.ts"
import type { ToolOptions } from "./Run.ts"

/** Options of `record`. */
export interface RecordOptions {
  /** The log's file, which is made if there is none. */
  readonly log: string
  /** What the run is for. */
  readonly goal: string
  /** The program's name, or `name@version`. */
  readonly agent: string
  /** The task's id. Default: a new one. */
  readonly id?: string
  /**
   * Whether a run with this id that was left open is continued: `run.leave()` left it, or its process is gone. Without one, a run
   * begins. Default: false, and an id that is taken rejects with `TaskIdTaken`.
   */
  readonly continue?: boolean
  /**
   * The person whose personal data the run holds: it is encrypted under this subject's key, in forks too, until
   * `PersonalData.shred` or `hindcast log shred` destroys it. Default: none.
   */
  readonly subject?: string
  /** The gate that tools pass. Default: all are called. */
  readonly gate?: Gate.GateConfig
  /**
   * What happens if the log fails in mid-run. `go-on`: the program goes on, nothing more is recorded, and a warning of the
   * process says so once; a tool for which there is a gate is refused all the same. `stop`: every call rejects with
   * `RecordingFailed`. Default: `go-on`.
   */
  readonly onLogFailure?: OnLogFailure
  /** Texts that are never recorded, besides the keys that requests carry and those of the environment. */
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
    secrets: Schema.Array(Options.Text),
    fetch: Options.callable<Fetch>(),
  },
})

/** The options of `record`, checked. Throws `InvalidOptions`, which names every mistake. */
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

/** How a run ended, checked. Throws `InvalidOptions`. */
export const endOf = (outcome: unknown, reason: unknown) => orThrow(Options.decode("run.end", End, { outcome, reason }))

const ToolFields = Options.of<ToolOptions>({ optional: { risk: Risk, description: Options.Text } })

/** The options of a tool, checked. Throws `InvalidOptions`. */
export const toolOptions = (options: unknown = {}): ToolOptions =>
  orThrow(Options.decode("run.tool", ToolFields, options))

const Named = Options.of<{ readonly name: string }>({ required: { name: Options.Name } })

/** Checks the name of a function. Throws `InvalidOptions`. */
export const nameOf = (of: string, name: unknown): string => orThrow(Options.decode(of, Named, { name })).name

const ToolNamed = Options.of<{ readonly name: string }>({
  required: {
    name: Options.Name.pipe(
      Schema.filter((name) => /^[^\s/]+$/u.test(name)),
      Schema.annotations({ description: "a name without spaces and slashes" }),
    ),
  },
})

/** Checks the name of a tool, which is called as `program/name`. Throws `InvalidOptions`. */
export const toolNameOf = (name: unknown): string => orThrow(Options.decode("run.tool", ToolNamed, { name })).name

/** The value of what was decoded, or its mistakes thrown. */
export const orThrow = <A>(decoded: Either.Either<A, Options.InvalidOptions>): A =>
  Either.getOrThrowWith(decoded, (invalid) => invalid)
