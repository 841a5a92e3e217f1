import { Either, ParseResult, Schema } from "effect"
import { Failure } from "../../events/vocabulary/EventType.ts"
import { findNonJson, type Json, JsonObject } from "../../values/Json.ts"

/**
 * What host and plugin say to each other: one JSON object a line, over the process's standard input and output. A frame
 * from the plugin is preceded by a nonce that the host chose; any other line is something the plugin printed.
 */

/** Longest frame in bytes, either way; a longer one from a plugin ends its process. */
export const FRAME_LIMIT = 8 * 1024 * 1024

/** Longest value and longest state of an answer, in bytes of JSON: with all that an event adds, the log takes them. */
export const ANSWER_LIMIT = 4 * 1024 * 1024

/** Deepest nesting of a value or a state; the log takes deeper ones, for it keeps them inside payloads. */
export const ANSWER_DEPTH = 150

/** Deepest nesting of a whole frame: above what any part of one may have, far below what overflows a stack. */
const FRAME_DEPTH = 250

/** Most calls that a process works on at the same time; more wait in the host. */
export const CALLS_IN_FLIGHT = 64

/** Most readings that a process has pushed and the host has not taken yet; the runner leaves out what comes beyond. */
export const READINGS_IN_FLIGHT = 256

const Id = Schema.Int

/** Whether what a parser left nests at most so deep. */
const nestsWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  for (const key in value) if (!nestsWithin(value[key as keyof typeof value], levels - 1)) return false
  return true
}

/** JSON as a parser left it, checked without being rebuilt: this is on the path of every call. */
const isParsedJson = (value: unknown): value is Json =>
  findNonJson(value) === undefined && nestsWithin(value, ANSWER_DEPTH)

const ParsedJson = Schema.declare(isParsedJson, {
  identifier: "Json",
  description: `JSON at most ${ANSWER_DEPTH} levels deep, without lone surrogates`,
})

/** Names of what an entry exports, or a manifest declares. */
export const Exports = Schema.Struct({
  sensors: Schema.Array(Schema.String),
  actuators: Schema.Array(Schema.String),
  environment: Schema.Boolean,
  /** Whether the environment can be put in a state that it had. */
  restores: Schema.optional(Schema.Boolean),
  measures: Schema.Array(Schema.String),
})

export type Exports = typeof Exports.Type

/** The plugin's own metadata, and that of its components by their names. */
const Metadata = Schema.Struct({
  plugin: JsonObject,
  components: Schema.Record({ key: Schema.String, value: JsonObject }),
})

/** The first frame: where the entry stands, and what every call is given. */
export const Init = Schema.Struct({
  type: Schema.Literal("init"),
  nonce: Schema.NonEmptyString,
  /** A `file:` URL. */
  entry: Schema.String,
  variables: JsonObject,
  metadata: Metadata,
  seed: Schema.Finite,
  workspace: Schema.String,
  precomputed: Schema.NullOr(Schema.String),
  frameLimit: Schema.Int,
  readingsInFlight: Schema.Int,
})

/** From the host: calls, which are answered under their id, and what steers them. */
export const HostFrame = Schema.Union(
  Init,
  Schema.Struct({ type: Schema.Literal("read"), id: Id, component: Schema.String, now: Schema.Finite }),
  Schema.Struct({
    type: Schema.Literal("act"),
    id: Id,
    component: Schema.String,
    args: JsonObject,
    now: Schema.Finite,
  }),
  /** With a state, which may be null, the environment is put in that one. */
  Schema.Struct({
    type: Schema.Literal("reset"),
    id: Id,
    options: JsonObject,
    state: Schema.optional(ParsedJson),
    now: Schema.Finite,
  }),
  /** A measure's function is to judge a task; it asks for the task's events by `page`. */
  Schema.Struct({
    type: Schema.Literal("judge"),
    id: Id,
    measure: Schema.String,
    task: JsonObject,
    now: Schema.Finite,
  }),
  Schema.Struct({ type: Schema.Literal("cancel"), id: Id }),
  Schema.Struct({ type: Schema.Literal("ping"), id: Id }),
  /** Answers a `host`, an `emit` or a `page` frame, under that frame's id. */
  Schema.Struct({
    type: Schema.Literal("answer"),
    id: Id,
    value: Schema.optional(ParsedJson),
    error: Schema.optional(Failure),
  }),
  /** From now on its metadata is this. */
  Schema.Struct({ type: Schema.Literal("metadata"), metadata: Metadata }),
  Schema.Struct({ type: Schema.Literal("shutdown") }),
)

export type HostFrame = typeof HostFrame.Type

/** From the plugin. */
export const PluginFrame = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ready"), exports: Exports }),
  /** The entry did not load. */
  Schema.Struct({ type: Schema.Literal("failed"), error: Schema.String }),
  /** `state`: the environment's, after `act` and `reset`. A `ping` and a `reset` have the value null. */
  Schema.Struct({ type: Schema.Literal("ok"), id: Id, value: ParsedJson, state: Schema.optional(ParsedJson) }),
  /** The function threw, or was cancelled. */
  Schema.Struct({ type: Schema.Literal("error"), id: Id, error: Failure, state: Schema.optional(ParsedJson) }),
  /** The function answered with what JSON cannot carry, or too much of it. */
  Schema.Struct({ type: Schema.Literal("invalid"), id: Id, reason: Schema.String, state: Schema.optional(ParsedJson) }),
  /** Asks the host for something, on behalf of a call. */
  Schema.Struct({
    type: Schema.Literal("host"),
    id: Id,
    call: Id,
    method: Schema.Literal("run", "readFile", "writeFile", "fetch"),
    params: JsonObject,
  }),
  /** A reading that the plugin pushes. `dropped`: how many it left out since the last one. */
  Schema.Struct({
    type: Schema.Literal("emit"),
    id: Id,
    component: Schema.String,
    value: ParsedJson,
    dropped: Schema.optional(Schema.NonNegativeInt),
  }),
  /** Asks for events of the task that a call judges, after a position. */
  Schema.Struct({
    type: Schema.Literal("page"),
    id: Id,
    call: Id,
    after: Schema.NonNegativeInt,
  }),
  /** How far a call has come: a fraction, or some words. */
  Schema.Struct({
    type: Schema.Literal("progress"),
    id: Id,
    value: Schema.Union(Schema.Number.pipe(Schema.between(0, 1)), Schema.String),
  }),
  Schema.Struct({
    type: Schema.Literal("log"),
    level: Schema.Literal("debug", "info", "warn", "error"),
    message: Schema.String,
  }),
)

export type PluginFrame = typeof PluginFrame.Type

/** A frame that asks the host for something. */
export type BrokeredFrame = Extract<PluginFrame, { readonly type: "host" }>

/** A frame that pushes a reading. */
export type EmitFrame = Extract<PluginFrame, { readonly type: "emit" }>

/** A frame that asks for events of a task that is judged. */
export type PageFrame = Extract<PluginFrame, { readonly type: "page" }>

/** A frame that ends a call. */
export type AnswerFrame = Extract<PluginFrame, { readonly type: "ok" | "error" | "invalid" }>

/** Writes a frame for the plugin, with its line's end. */
export const encode = (frame: HostFrame): string => `${JSON.stringify(frame)}\n`

/**
 * The frame that most calls end with, checked as its schema would check it, but without being rebuilt: it is on the path of
 * every call. A frame with anything else in it is left to the schema.
 */
const isPlainOk = (value: unknown): value is Extract<PluginFrame, { readonly type: "ok" }> => {
  if (typeof value !== "object" || value === null) return false
  let fields = 0
  for (const _ in value) fields++
  const frame = value as { readonly type?: unknown; readonly id?: unknown; readonly value?: unknown }
  return fields === 3 && frame.type === "ok" && Number.isSafeInteger(frame.id) && isParsedJson(frame.value)
}

const decoderOf = (member: Schema.Schema.AnyNoContext) => Schema.decodeUnknownEither(member)

/** By the frame's type, so that what is wrong is said of the frame that was meant. */
const decoders = new Map<unknown, (value: unknown) => Either.Either<PluginFrame, ParseResult.ParseError>>(
  PluginFrame.members.map((member) => [member.fields.type.literals[0], decoderOf(member)]),
)

/** Reads a frame from the plugin, without its nonce. Left says what was wrong with it: what was expected, and where. */
export const decode = (text: string): Either.Either<PluginFrame, string> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return Either.left(`expected JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (isPlainOk(value)) return Either.right(value)
  // Before anything is said of it: putting a value into words takes as many calls as it has levels.
  if (!nestsWithin(value, FRAME_DEPTH)) return Either.left(`expected at most ${FRAME_DEPTH} levels, found more`)
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined
  const decoder = decoders.get(type)
  if (decoder === undefined) {
    return Either.left(`expected a type of ${[...decoders.keys()].join(", ")}, found ${JSON.stringify(type)}`)
  }
  return Either.mapLeft(decoder(value), (error) => {
    const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
    return `${String(type)}, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
  })
}

/** An answer whose value or state is too large for the log is invalid; `bytes` is the length of its frame. */
export const withinAnswerLimit = (frame: AnswerFrame, bytes: number): AnswerFrame => {
  if (bytes <= ANSWER_LIMIT) return frame
  const { id, state } = frame
  const largeState = tooLarge("environment.state()", state)
  if (largeState !== undefined) return { type: "invalid", id, reason: largeState }
  const largeValue = frame.type === "ok" ? tooLarge("the answer", frame.value) : undefined
  if (largeValue === undefined) return frame
  return { type: "invalid", id, reason: largeValue, ...(state === undefined ? {} : { state }) }
}

const tooLarge = (name: string, part: Json | undefined): string | undefined => {
  const found = part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))
  return found <= ANSWER_LIMIT ? undefined : `expected ${name} of at most ${ANSWER_LIMIT} bytes of JSON, found ${found}`
}

/** What a request is answered with: an answer that no frame can hold is a failure. */
export const answerFrame = (id: number, outcome: Either.Either<{ readonly value: Json }, Failure>): string => {
  const text = encode({
    type: "answer",
    id,
    ...Either.match(outcome, { onLeft: (error) => ({ error }), onRight: ({ value }) => ({ value }) }),
  })
  if (Buffer.byteLength(text) <= FRAME_LIMIT) return text
  const error = { code: "AnswerTooLarge", message: `expected an answer of at most ${FRAME_LIMIT} bytes` }
  return encode({ type: "answer", id, error })
}
