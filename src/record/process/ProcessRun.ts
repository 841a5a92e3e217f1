/** Instructions for a process that is recorded, replayed or forked as a whole, without changes to it. */

import { type Either, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import type { ParseError } from "../../values/schema/Mistakes.ts"
import { Order } from "../doctor/ExaminedFetch.ts"
import { Live } from "../replay/Diverged.ts"

/**
 * The environment variable with the instructions. It is removed before the program starts; `Children` sets it for
 * children.
 */
export const VARIABLE = "HINDCAST_RUN"

/** The environment variable that tells a program that it runs on a recording: `replay`, `fork` or `doctor`. */
export const REPLAYING = "HINDCAST_REPLAYING"

/** File of the {@link ProcessReport}. */
const report = Schema.String

/** URL of the preload module for its children. */
const preload = Schema.String

/** File of the task's events, for a program that may not reach the log, which is on a server. */
const events = optional(Schema.String)

const Recording = Schema.Struct({
  does: Schema.Literal("record"),
  log: Schema.String,
  goal: Schema.String,
  agent: Schema.String,
  taskId: Schema.String,
  subject: optional(Schema.String),
  onLogFailure: Schema.Literal("go-on", "stop"),
  /** Whether the task stays open when the program ends. */
  keepOpen: optional(Schema.Literal(true)),
  /** The directory whose files to record. */
  workspace: optional(Schema.String),
  report,
  preload,
})

/** A worker thread or child of a recorded process, in the same task. */
const Joining = Schema.Struct({
  does: Schema.Literal("join"),
  log: Schema.String,
  agent: Schema.String,
  taskId: Schema.String,
  onLogFailure: Schema.Literal("go-on", "stop"),
  /** Whether the recorded process records the files of a directory. */
  hasFiles: optional(Schema.Literal(true)),
  report,
  preload,
})

const Closed = Schema.Struct({
  /** Allowed hosts, as `--allow-host` names them. */
  allow: Schema.Array(Schema.String),
  /** File for refused attempts, one JSON line each. */
  attempts: Schema.String,
  preload,
})

export type Closed = typeof Closed.Type

/** A worker thread or child of a closed process. */
const Closing = Schema.Struct({
  does: Schema.Literal("close"),
  closed: Closed,
  /** Unix socket that answers its HTTP requests; absent if the answering process blocks on it. */
  answers: optional(Schema.String),
  /** Whether the network is open for all else. */
  isOpen: Schema.Boolean,
})

export type Closing = typeof Closing.Type

const Replaying = Schema.Struct({
  does: Schema.Literal("replay"),
  closed: Closed,
  log: Schema.String,
  taskId: Schema.String,
  part: optional(Schema.Int),
  live: optional(Live),
  events,
  report,
})

const Examining = Schema.Struct({
  does: Schema.Literal("examine"),
  closed: Closed,
  log: Schema.String,
  taskId: Schema.String,
  clock: Schema.Int,
  tick: Schema.Int,
  seed: Schema.Int,
  order: Order,
  events,
  /** File for the requests, one JSON line each. */
  told: Schema.String,
})

const Forking = Schema.Struct({
  does: Schema.Literal("fork"),
  closed: Closed,
  log: Schema.String,
  taskId: Schema.String,
  parent: Schema.String,
  at: Schema.Int,
  timeline: Schema.String,
  agent: Schema.String,
  changes: Schema.Struct({
    model: optional(Schema.String),
    answer: optional(Schema.String),
    result: optional(Schema.String),
  }),
  /** The directory whose files to record. */
  workspace: optional(Schema.String),
  report,
})

export const ProcessRun = Schema.parseJson(Schema.Union(Recording, Joining, Replaying, Examining, Forking, Closing))

export type ProcessRun = typeof ProcessRun.Type

/** Instructions of processes with a report of their own. */
export type Reporting = Exclude<Extract<ProcessRun, { readonly report: string }>, { readonly does: "join" }>

/** Environment variables that tell a program about its run; none if it is recorded. */
export const variablesOf = (does: ProcessRun["does"]): { readonly [name: string]: string } => {
  const value = does === "examine" ? "doctor" : does === "replay" || does === "fork" ? does : undefined
  return value === undefined ? {} : { [REPLAYING]: value }
}

export const write: (run: ProcessRun) => string = Schema.encodeSync(ProcessRun)

export const read: (text: unknown) => Either.Either<ProcessRun, ParseError> = Schema.decodeUnknownEither(ProcessRun)

/** Exit code if the program did not start because its run could not be recorded or replayed. */
export const NOT_STARTED = 1
