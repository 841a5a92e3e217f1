/**
 * The wire protocol between host and plugin: one JSON object per line on the process's standard input and output. The
 * plugin's frames start with a nonce that the host chose; any other line is printed text.
 */
import { Either, Schema } from "effect"
import { Failure } from "../../events/vocabulary/EventType.ts"
import { defined } from "../../values/defined.ts"
import { findNonJson, type Json, JsonObject } from "../../values/Json.ts"
import { mistakesOf, type ParseError } from "../../values/schema/Mistakes.ts"

/** Maximum frame size in bytes, both ways. A longer frame from a plugin ends its process. */
export const FRAME_LIMIT = 8 * 1024 * 1024

/**
 * Maximum size of an answer's value, and of its state, in bytes of JSON. An event with both stays within the log's
 * limits.
 */
export const ANSWER_LIMIT = 4 * 1024 * 1024

/** Maximum nesting of a value or state. The log accepts more, because payloads contain them. */
export const ANSWER_DEPTH = 150

/** Maximum nesting of a frame: more than its parts may have, and far from overflowing the stack. */
const FRAME_DEPTH = 250

/** Maximum number of concurrent calls per process. Others wait in the host. */
export const CALLS_IN_FLIGHT = 64

/** Maximum number of pushed readings that the host has not taken. The runner drops any more. */
export const READINGS_IN_FLIGHT = 256

const Id = Schema.Int

/** The agent that a call serves, in a task with several agents. */
const Agent = Schema.optional(Schema.String)

/** Whether a parsed value nests at most `levels` deep. */
const nestsWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  for (const key in value) if (!nestsWithin(value[key as keyof typeof value], levels - 1)) return false
  return true
}

/**
 * Whether a parsed value is JSON within the depth limit. Checks without copying, because every call takes this path.
 */
const isParsedJson = (value: unknown): value is Json =>
  findNonJson(value) === undefined && nestsWithin(value, ANSWER_DEPTH)

const ParsedJson = Schema.declare(isParsedJson, {
  identifier: "Json",
  description: `JSON at most ${ANSWER_DEPTH} levels deep, without lone surrogates`,
})

/** The components that an entry exports or a manifest declares, by name. */
export const Exports = Schema.Struct({
  sensors: Schema.Array(Schema.String),
  actuators: Schema.Array(Schema.String),
  environment: Schema.Boolean,
  /** Whether the environment has `restore`. */
  restores: Schema.optional(Schema.Boolean),
  measures: Schema.Array(Schema.String),
  /** Whether there is a provider of models. */
  provider: Schema.optional(Schema.Boolean),
  /** The actuators with a `settle`. */
  settles: Schema.optional(Schema.Array(Schema.String)),
  listeners: Schema.optional(Schema.Array(Schema.String)),
})

export type Exports = typeof Exports.Type

/** Metadata of the plugin, and of its components by name. */
const Metadata = Schema.Struct({
  plugin: JsonObject,
  components: Schema.Record({ key: Schema.String, value: JsonObject }),
})

/** How an interpreter of Python finds and confines an environment. Absolute, real paths. */
const Python = Schema.Struct({
  directory: Schema.String,
  /** Directories of packages, after the interpreter's own. */
  path: Schema.Array(Schema.String),
  /** The paths that the process may read and those hidden in them, if nothing else confines it. */
  guard: Schema.NullOr(Schema.Struct({ readable: Schema.Array(Schema.String), hidden: Schema.Array(Schema.String) })),
})

/** The first frame: the entry, and the constant parts of every call's context. */
export const Init = Schema.Struct({
  type: Schema.Literal("init"),
  nonce: Schema.NonEmptyString,
  /** A `file:` URL, or a module and a class of Python. */
  entry: Schema.String,
  /** Present if the entry is an environment written in Python. */
  python: Schema.optional(Python),
  variables: JsonObject,
  metadata: Metadata,
  seed: Schema.Finite,
  workspace: Schema.String,
  precomputed: Schema.NullOr(Schema.String),
  frameLimit: Schema.Int,
  readingsInFlight: Schema.Int,
  /** Present if the environment is a world. */
  world: Schema.optional(
    Schema.Struct({ spaces: JsonObject, maxSteps: Schema.NullOr(Schema.Int), maxAgents: Schema.Int }),
  ),
})

/** Frames from the host: calls, which the plugin answers under their id, and control frames. */
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
  /** Asks an actuator how a command ended. */
  Schema.Struct({
    type: Schema.Literal("settle"),
    id: Id,
    component: Schema.String,
    commandId: Schema.String,
    args: JsonObject,
    agent: Agent,
    now: Schema.Finite,
  }),
  /** Lets a listener read a request. */
  Schema.Struct({
    type: Schema.Literal("hear"),
    id: Id,
    listener: Schema.String,
    request: JsonObject,
    now: Schema.Finite,
  }),
  /** Steps a world with several agents' actions. */
  Schema.Struct({
    type: Schema.Literal("round"),
    id: Id,
    actions: Schema.Record({ key: Schema.String, value: ParsedJson }),
    now: Schema.Finite,
  }),
  /** Begins, continues and steps several episodes of a world, one in each slot. */
  Schema.Struct({
    type: Schema.Literal("slots"),
    id: Id,
    calls: Schema.Array(
      Schema.Struct({
        slot: Schema.Int,
        reset: Schema.optional(
          Schema.Struct({ options: JsonObject, seed: Schema.Int, continued: Schema.optional(Schema.Boolean) }),
        ),
        restore: Schema.optional(Schema.Struct({ options: JsonObject, state: ParsedJson })),
        action: Schema.optional(ParsedJson),
        trial: Schema.optional(
          Schema.Union(
            Schema.Struct({ rounds: Schema.Array(Schema.Record({ key: Schema.String, value: ParsedJson })) }),
            Schema.Struct({ seed: Schema.Int, maxRounds: Schema.Int }),
          ),
        ),
        drop: Schema.optional(Schema.Literal(true)),
      }),
    ),
    now: Schema.Finite,
    /** Asks for steps as rows of numbers. A process may answer without rows. */
    packed: Schema.optional(Schema.Literal(true)),
  }),
  /** Tells a world that an agent joins or leaves, or that time passes. */
  Schema.Struct({ type: Schema.Literal("join", "leave"), id: Id, agent: Schema.String, now: Schema.Finite }),
  Schema.Struct({ type: Schema.Literal("tick"), id: Id, milliseconds: Schema.Finite, now: Schema.Finite }),
  /**
   * Resets the environment, or restores it if `state` is present (it may be null). Default for a world: one agent, and
   * the process's seed.
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
  /** Calls a measure's function, which requests the task's events by `page` frames. */
  Schema.Struct({
    type: Schema.Literal("judge"),
    id: Id,
    measure: Schema.String,
    task: JsonObject,
    now: Schema.Finite,
  }),
  /** Asks the provider for an answer of one of its models. */
  Schema.Struct({
    type: Schema.Literal("generate"),
    id: Id,
    model: Schema.String,
    history: Schema.Array(JsonObject),
    tools: Schema.Array(JsonObject),
    settings: JsonObject,
    now: Schema.Finite,
  }),
  Schema.Struct({ type: Schema.Literal("cancel"), id: Id }),
  Schema.Struct({ type: Schema.Literal("ping"), id: Id }),
  /** Answers a `host`, `emit` or `page` frame, under its id. */
  Schema.Struct({
    type: Schema.Literal("answer"),
    id: Id,
    value: Schema.optional(ParsedJson),
    error: Schema.optional(Failure),
  }),
  /** A part of the body that answers a `host` frame with `parts`, before its answer. */
  Schema.Struct({ type: Schema.Literal("part"), id: Id, text: Schema.String }),
  /** Replaces the metadata for later calls. */
  Schema.Struct({ type: Schema.Literal("metadata"), metadata: Metadata }),
  Schema.Struct({ type: Schema.Literal("shutdown") }),
)

export type HostFrame = typeof HostFrame.Type

/** Frames from the plugin. */
export const PluginFrame = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ready"), exports: Exports }),
  /** Loading the entry failed. */
  Schema.Struct({ type: Schema.Literal("failed"), error: Schema.String }),
  /**
   * `state` is the environment's, after `act`, `reset` and calls of worlds. The value is null for `ping` and `reset`.
   */
  Schema.Struct({ type: Schema.Literal("ok"), id: Id, value: ParsedJson, state: Schema.optional(ParsedJson) }),
  /** The function threw, or the call was cancelled. */
  Schema.Struct({ type: Schema.Literal("error"), id: Id, error: Failure, state: Schema.optional(ParsedJson) }),
  /** The function's value is not JSON, or too large. */
  Schema.Struct({ type: Schema.Literal("invalid"), id: Id, reason: Schema.String, state: Schema.optional(ParsedJson) }),
  /** A host request on behalf of a call. */
  Schema.Struct({
    type: Schema.Literal("host"),
    id: Id,
    call: Id,
    method: Schema.Literal("run", "readFile", "writeFile", "fetch"),
    params: JsonObject,
  }),
  /** A pushed reading. `dropped` counts the readings dropped since the last one. */
  Schema.Struct({
    type: Schema.Literal("emit"),
    id: Id,
    component: Schema.String,
    value: ParsedJson,
    dropped: Schema.optional(Schema.NonNegativeInt),
  }),
  /** Requests events of the judged task, after a position. */
  Schema.Struct({
    type: Schema.Literal("page"),
    id: Id,
    call: Id,
    after: Schema.NonNegative,
  }),
  /** A piece of an answer that a provider generates. */
  Schema.Struct({
    type: Schema.Literal("piece"),
    id: Id,
    kind: Schema.Literal("text", "reasoning"),
    text: Schema.String,
  }),
  /** A call's progress: a fraction, or a few words. */
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

/** A host request. */
export type HostRequestFrame = Extract<PluginFrame, { readonly type: "host" }>

/** A pushed reading. */
export type EmitFrame = Extract<PluginFrame, { readonly type: "emit" }>

/** A request for events of the judged task. */
export type PageFrame = Extract<PluginFrame, { readonly type: "page" }>

/** A piece of a generated answer. */
export type PieceFrame = Extract<PluginFrame, { readonly type: "piece" }>

/** An answer to a call. */
export type AnswerFrame = Extract<PluginFrame, { readonly type: "ok" | "error" | "invalid" }>

/** Encodes a frame for the plugin, with its line feed. */
export const encode = (frame: HostFrame): string => `${JSON.stringify(frame)}\n`

/**
 * Whether a value is an `ok` frame without state, which ends most calls. Checks the same as the schema without copying,
 * because every call takes this path. Frames with other fields go to the schema.
 */
const isPlainOk = (value: unknown): value is Extract<PluginFrame, { readonly type: "ok" }> => {
  if (typeof value !== "object" || value === null) return false
  let fields = 0
  for (const _ in value) fields++
  const frame = value as { readonly type?: unknown; readonly id?: unknown; readonly value?: unknown }
  return fields === 3 && frame.type === "ok" && Number.isSafeInteger(frame.id) && isParsedJson(frame.value)
}

const decoderOf = (member: Schema.Schema.AnyNoContext) => Schema.decodeUnknownEither(member)

/** By frame type, so that an error message concerns the intended type. */
const decoders = new Map<unknown, (value: unknown) => Either.Either<PluginFrame, ParseError>>(
  PluginFrame.members.map((member) => [member.fields.type.literals[0], decoderOf(member)]),
)

/** Decodes a frame without its nonce. Left names what was expected, and where. */
export const decode = (text: string): Either.Either<PluginFrame, string> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return Either.left(`expected JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (isPlainOk(value)) return Either.right(value)
  // Before any error is formatted: formatting recurses once per level.
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
 * Replaces an answer that is too large for the log with an `invalid` frame. `bytes` is the size of the answer's frame.
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

/** Encodes the answer to a request; one that exceeds the frame limit becomes a failure. */
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
