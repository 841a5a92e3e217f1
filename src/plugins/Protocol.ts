import { Either, ParseResult, Schema } from "effect"
import { Failure } from "../events/EventType.ts"
import { findNonJson, type Json, JsonObject } from "../events/Json.ts"

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

/** Most calls that a process works on at the same time; more wait in the host. */
export const CALLS_IN_FLIGHT = 64

const Id = Schema.Int

/** Whether what a parser left nests at most so deep. */
const nestsWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  for (const key in value) if (!nestsWithin(value[key as keyof typeof value], levels - 1)) return false
  return true
}

/** JSON as a parser left it, checked without being rebuilt: this is on the path of every call. */
const ParsedJson = Schema.declare(
  (value): value is Json => findNonJson(value) === undefined && nestsWithin(value, ANSWER_DEPTH),
  { identifier: "Json", description: `JSON at most ${ANSWER_DEPTH} levels deep, without lone surrogates` },
)

/** Names of what an entry exports, or a manifest declares. */
export const Exports = Schema.Struct({
  sensors: Schema.Array(Schema.String),
  actuators: Schema.Array(Schema.String),
  environment: Schema.Boolean,
})

export type Exports = typeof Exports.Type

/** The first frame: where the entry stands, and what every call is given. */
export const Init = Schema.Struct({
  type: Schema.Literal("init"),
  nonce: Schema.NonEmptyString,
  /** A `file:` URL. */
  entry: Schema.String,
  variables: JsonObject,
  metadata: Schema.Struct({ plugin: JsonObject, components: Schema.Record({ key: Schema.String, value: JsonObject }) }),
  seed: Schema.Finite,
  workspace: Schema.String,
  frameLimit: Schema.Int,
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
  Schema.Struct({ type: Schema.Literal("reset"), id: Id, options: JsonObject, now: Schema.Finite }),
  Schema.Struct({ type: Schema.Literal("cancel"), id: Id }),
  Schema.Struct({ type: Schema.Literal("ping"), id: Id }),
  /** Answers a `host` frame, under that frame's id. */
  Schema.Struct({
    type: Schema.Literal("answer"),
    id: Id,
    value: Schema.optional(ParsedJson),
    error: Schema.optional(Failure),
  }),
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
    method: Schema.Literal("run", "readFile", "writeFile"),
    params: JsonObject,
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

/** A frame that ends a call. */
export type AnswerFrame = Extract<PluginFrame, { readonly type: "ok" | "error" | "invalid" }>

/** Writes a frame for the plugin, with its line's end. */
export const encode = (frame: HostFrame): string => `${JSON.stringify(frame)}\n`

const decodeFrame = Schema.decodeUnknownEither(PluginFrame)

/** Reads a frame from the plugin, without its nonce. Left says what was wrong with it. */
export const decode = (text: string): Either.Either<PluginFrame, string> => {
  try {
    return Either.mapLeft(decodeFrame(JSON.parse(text)), (error) => ParseResult.TreeFormatter.formatErrorSync(error))
  } catch (cause) {
    return Either.left(cause instanceof Error ? cause.message : String(cause))
  }
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
