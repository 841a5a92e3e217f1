/**
 * The wire protocol between host and plugin: one JSON object per line, over the process's standard input and output. A
 * frame from the plugin starts with a nonce that the host chose. Any other line is text that the plugin printed.
 */
import { Either, Schema } from "effect"
import { Failure } from "../../events/vocabulary/EventType.ts"
import { defined } from "../../values/defined.ts"
import { findNonJson, type Json, JsonObject } from "../../values/Json.ts"
import { mistakesOf, type ParseError } from "../../values/schema/Mistakes.ts"

/** Maximum frame size in bytes, in both directions. A longer frame from a plugin ends its process. */
export const FRAME_LIMIT = 8 * 1024 * 1024

/**
 * Maximum size of an answer's value, and of its state, in bytes of JSON. An event that contains both stays within the
 * log's limits.
 */
export const ANSWER_LIMIT = 4 * 1024 * 1024

/** Maximum nesting of a value or a state. The log accepts deeper nesting, because it keeps them inside payloads. */
export const ANSWER_DEPTH = 150

/** Maximum nesting of a whole frame: more than any part of one may have, and far less than overflows the stack. */
const FRAME_DEPTH = 250

/** Maximum number of calls that a process works on concurrently. Further calls are queued in the host. */
export const CALLS_IN_FLIGHT = 64

/** Maximum number of pushed readings that the host has not taken yet. The runner drops further readings. */
export const READINGS_IN_FLIGHT = 256

const Id = Schema.Int

/** The agent that a call is made for, in a task with several agents. */
const Agent = Schema.optional(Schema.String)

/** Whether a parsed value has at most `levels` levels of nesting. */
const nestsWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  for (const key in value) if (!nestsWithin(value[key as keyof typeof value], levels - 1)) return false
  return true
}

/**
 * Whether a parsed value is valid JSON within the depth limit. It checks the value without copying it, because every
 * call takes this path.
 */
const isParsedJson = (value: unknown): value is Json =>
  findNonJson(value) === undefined && nestsWithin(value, ANSWER_DEPTH)

const ParsedJson = Schema.declare(isParsedJson, {
  identifier: "Json",
  description: `JSON at most ${ANSWER_DEPTH} levels deep, without lone surrogates`,
})

/** The names of the components that an entry exports or a manifest declares. */
export const Exports = Schema.Struct({
  sensors: Schema.Array(Schema.String),
  actuators: Schema.Array(Schema.String),
  environment: Schema.Boolean,
  /** Whether the environment has `restore`. */
  restores: Schema.optional(Schema.Boolean),
  measures: Schema.Array(Schema.String),
  /** The actuators that have a `settle`. */
  settles: Schema.optional(Schema.Array(Schema.String)),
})

export type Exports = typeof Exports.Type

/** The metadata of the plugin, and of its components by name. */
const Metadata = Schema.Struct({
  plugin: JsonObject,
  components: Schema.Record({ key: Schema.String, value: JsonObject }),
})

/** The first frame: the entry's URL and the constant parts of every call's context. */
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
  /** What the manifest says of the world, if its environment is one. */
  world: Schema.optional(
    Schema.Struct({ spaces: JsonObject, maxSteps: Schema.NullOr(Schema.Int), maxAgents: Schema.Int }),
  ),
})

/** The frames from the host: calls, which are answered under their id, and control frames. */
export const HostFrame = Schema.Union(
  Init,
  Schema.Struct({ type: Schema.Literal("read"), id: Id, component: Schema.String, agent: Agent, now: Schema.Finite }),
  Schema.Struct({
    type: Schema.Literal("act"),
    id: Id,
    component: Schema.String,
    args: JsonObject,
    commandId: Schema.optional(Schema.String),
    agent: Agent,
    now: Schema.Finite,
  }),
  /** Asks an actuator what became of a command. */
  Schema.Struct({
    type: Schema.Literal("settle"),
    id: Id,
    component: Schema.String,
    commandId: Schema.String,
    args: JsonObject,
    agent: Agent,
    now: Schema.Finite,
  }),
  /** Steps a world with the actions of several agents. */
  Schema.Struct({
    type: Schema.Literal("round"),
    id: Id,
    actions: Schema.Record({ key: Schema.String, value: ParsedJson }),
    now: Schema.Finite,
  }),
  /** Tells a world that an agent joins or leaves, or that time passes. */
  Schema.Struct({ type: Schema.Literal("join", "leave"), id: Id, agent: Schema.String, now: Schema.Finite }),
  Schema.Struct({ type: Schema.Literal("tick"), id: Id, milliseconds: Schema.Finite, now: Schema.Finite }),
  /**
   * Resets the environment. If `state` is present (it may be null), the environment is restored to that state instead.
   * A world begins with these agents, by default one, and this seed, by default that of the process.
   */
  Schema.Struct({
    type: Schema.Literal("reset"),
    id: Id,
    options: JsonObject,
    state: Schema.optional(ParsedJson),
    agents: Schema.optional(Schema.Array(Schema.String)),
    seed: Schema.optional(Schema.Int),
    now: Schema.Finite,
  }),
  /** Calls a measure's function to judge a task. The function requests the task's events by `page` frames. */
  Schema.Struct({
    type: Schema.Literal("judge"),
    id: Id,
    measure: Schema.String,
    task: JsonObject,
    now: Schema.Finite,
  }),
  Schema.Struct({ type: Schema.Literal("cancel"), id: Id }),
  Schema.Struct({ type: Schema.Literal("ping"), id: Id }),
  /** The answer to a `host`, `emit` or `page` frame, under that frame's id. */
  Schema.Struct({
    type: Schema.Literal("answer"),
    id: Id,
    value: Schema.optional(ParsedJson),
    error: Schema.optional(Failure),
  }),
  /** Replaces the metadata for later calls. */
  Schema.Struct({ type: Schema.Literal("metadata"), metadata: Metadata }),
  Schema.Struct({ type: Schema.Literal("shutdown") }),
)

export type HostFrame = typeof HostFrame.Type

/** The frames from the plugin. */
export const PluginFrame = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ready"), exports: Exports }),
  /** The entry could not be loaded. */
  Schema.Struct({ type: Schema.Literal("failed"), error: Schema.String }),
  /** `state` is the environment's state, after `act`, `reset` and the calls of worlds. The value is null for `ping` and `reset`. */
  Schema.Struct({ type: Schema.Literal("ok"), id: Id, value: ParsedJson, state: Schema.optional(ParsedJson) }),
  /** The function threw, or the call was cancelled. */
  Schema.Struct({ type: Schema.Literal("error"), id: Id, error: Failure, state: Schema.optional(ParsedJson) }),
  /** The function returned a value that JSON cannot represent, or that is too large. */
  Schema.Struct({ type: Schema.Literal("invalid"), id: Id, reason: Schema.String, state: Schema.optional(ParsedJson) }),
  /** A request to the host, on behalf of a call. */
  Schema.Struct({
    type: Schema.Literal("host"),
    id: Id,
    call: Id,
    method: Schema.Literal("run", "readFile", "writeFile", "fetch"),
    params: JsonObject,
  }),
  /** A pushed reading. `dropped` is the number of readings that were dropped since the last one. */
  Schema.Struct({
    type: Schema.Literal("emit"),
    id: Id,
    component: Schema.String,
    value: ParsedJson,
    dropped: Schema.optional(Schema.NonNegativeInt),
  }),
  /** A request for events, after a position, of the task that a call judges. */
  Schema.Struct({
    type: Schema.Literal("page"),
    id: Id,
    call: Id,
    after: Schema.NonNegativeInt,
  }),
  /** The progress of a call: a fraction, or some words. */
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

/** A frame with a host request. */
export type HostRequestFrame = Extract<PluginFrame, { readonly type: "host" }>

/** A frame with a pushed reading. */
export type EmitFrame = Extract<PluginFrame, { readonly type: "emit" }>

/** A frame that requests events of a judged task. */
export type PageFrame = Extract<PluginFrame, { readonly type: "page" }>

/** A frame that answers a call. */
export type AnswerFrame = Extract<PluginFrame, { readonly type: "ok" | "error" | "invalid" }>

/** Encodes a frame for the plugin, with its line feed. */
export const encode = (frame: HostFrame): string => `${JSON.stringify(frame)}\n`

/**
 * Whether a value is an `ok` frame without state, the frame that ends most calls. It applies the checks of the schema
 * without copying the value, because every call takes this path. Frames with other fields are left to the schema.
 */
const isPlainOk = (value: unknown): value is Extract<PluginFrame, { readonly type: "ok" }> => {
  if (typeof value !== "object" || value === null) return false
  let fields = 0
  for (const _ in value) fields++
  const frame = value as { readonly type?: unknown; readonly id?: unknown; readonly value?: unknown }
  return fields === 3 && frame.type === "ok" && Number.isSafeInteger(frame.id) && isParsedJson(frame.value)
}

const decoderOf = (member: Schema.Schema.AnyNoContext) => Schema.decodeUnknownEither(member)

/** Decoders by frame type, so that an error message is about the intended type. */
const decoders = new Map<unknown, (value: unknown) => Either.Either<PluginFrame, ParseError>>(
  PluginFrame.members.map((member) => [member.fields.type.literals[0], decoderOf(member)]),
)

/** Decodes a frame from the plugin, without its nonce. Left says what was expected, and where. */
export const decode = (text: string): Either.Either<PluginFrame, string> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return Either.left(`expected JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (isPlainOk(value)) return Either.right(value)
  // This check comes before any error is formatted, because formatting recurses once per level.
  if (!nestsWithin(value, FRAME_DEPTH)) return Either.left(`expected at most ${FRAME_DEPTH} levels, found more`)
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined
  const decoder = decoders.get(type)
  if (decoder === undefined) {
    return Either.left(`expected a type of ${[...decoders.keys()].join(", ")}, found ${JSON.stringify(type)}`)
  }
  return Either.mapLeft(decoder(value), (error) => {
    const [first] = mistakesOf(error)
    return `${String(type)}, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
  })
}

/**
 * Replaces an answer whose value or state is too large for the log by an `invalid` frame. `bytes` is the size of the
 * answer's frame.
 */
export const withinAnswerLimit = (frame: AnswerFrame, bytes: number): AnswerFrame => {
  if (bytes <= ANSWER_LIMIT) return frame
  const { id, state } = frame
  const largeState = tooLarge("environment.state()", state)
  if (largeState !== undefined) return { type: "invalid", id, reason: largeState }
  const largeValue = frame.type === "ok" ? tooLarge("the answer", frame.value) : undefined
  if (largeValue === undefined) return frame
  return { type: "invalid", id, reason: largeValue, ...defined({ state }) }
}

const tooLarge = (name: string, part: Json | undefined): string | undefined => {
  const found = part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))
  return found <= ANSWER_LIMIT ? undefined : `expected ${name} of at most ${ANSWER_LIMIT} bytes of JSON, found ${found}`
}

/** Encodes the answer to a request. If the answer does not fit in a frame, it becomes a failure. */
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
