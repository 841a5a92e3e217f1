/** What a process is told that is recorded, or replayed, as a whole: by its global `fetch` and without a change to it. */

import { type Either, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"
import type { ParseError } from "../../values/schema/Mistakes.ts"
import { Order } from "../doctor/ExaminedFetch.ts"
import { Live } from "../replay/Diverged.ts"

/** The variable of the environment that says it. It is taken out before the program starts; `Children` tells the program's own children. */
export const VARIABLE = "HINDCAST_RUN"

/** The file of the {@link ProcessReport}. */
const report = Schema.String

/** The URL of the module that is loaded before its children. */
const preload = Schema.String

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
  report,
  preload,
})

/** A worker thread, or a child, of a process that is recorded: in the same task. */
const Joining = Schema.Struct({
  does: Schema.Literal("join"),
  log: Schema.String,
  agent: Schema.String,
  taskId: Schema.String,
  onLogFailure: Schema.Literal("go-on", "stop"),
  report,
  preload,
})

/** How the network is closed to a process. */
const Closed = Schema.Struct({
  /** The hosts that it may reach, as `--allow-host` names them. */
  allow: Schema.Array(Schema.String),
  /** The file that each attempt to reach another one is told in, a line of JSON each. */
  attempts: Schema.String,
  preload,
})

export type Closed = typeof Closed.Type

/** A worker thread, or a child, of a process that is closed. */
const Closing = Schema.Struct({
  does: Schema.Literal("close"),
  closed: Closed,
  /** Where its requests of HTTP are answered. Absent where nobody can answer them: the process that could waits for it. */
  answers: optional(Schema.String),
  /** Whether the network is open to it but for what is answered. */
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
  /** The file that each request is told in, a line of JSON each. */
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
  report,
})

/** A recording, a replay, an examination or a fork of a process. */
export const ProcessRun = Schema.parseJson(Schema.Union(Recording, Joining, Replaying, Examining, Forking, Closing))

export type ProcessRun = typeof ProcessRun.Type

/** What a process is told that reports. */
export type Reporting = Exclude<Extract<ProcessRun, { readonly report: string }>, { readonly does: "join" }>

/** The text for the variable. */
export const write: (run: ProcessRun) => string = Schema.encodeSync(ProcessRun)

/** The run that a text of the variable describes. */
export const read: (text: unknown) => Either.Either<ProcessRun, ParseError> = Schema.decodeUnknownEither(ProcessRun)

/** The exit code of a process whose run could not be recorded or replayed, and which did not start. */
export const NOT_STARTED = 1
