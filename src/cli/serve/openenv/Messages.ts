/** Messages of OpenEnv's protocol, as version 0.10 of the package `openenv` sends and takes them. Pure. */
import { Either, Schema } from "effect"
import { jsonSchemaOf } from "../../../plugins/spaces/jsonSchemaOf.ts"
import type { Space } from "../../../plugins/spaces/Space.ts"
import { defined } from "../../../values/defined.ts"
import { isTooDeep, Json, type JsonObject, MAX_DEPTH } from "../../../values/Json.ts"
import { mistakesOf, type ParseError } from "../../../values/schema/Mistakes.ts"
import type { Shown, Spaces, StepResult } from "../../../worlds/handle/World.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const nullable = <A, I>(schema: Schema.Schema<A, I>) => optional(Schema.NullOr(schema))

/** The parameters of a reset. As in OpenEnv, others are dropped. */
export const Reset = Schema.Struct({
  seed: nullable(Schema.NonNegativeInt),
  episode_id: nullable(Schema.String),
  /** Of the world, such as a map. */
  options: nullable(Schema.Record({ key: Schema.String, value: Json })),
})

export type Reset = typeof Reset.Type

const Fields = Schema.Record({ key: Schema.String, value: Json })

/** A message of a session. */
export type Message =
  | { readonly type: "reset"; readonly data?: Reset }
  | { readonly type: "step" | "mcp"; readonly data: JsonObject }
  | { readonly type: "state" | "close" }

/** By type, so that a mistake is told of the right one. */
const MESSAGES = {
  reset: Schema.Struct({ type: Schema.Literal("reset"), data: optional(Reset) }),
  step: Schema.Struct({ type: Schema.Literal("step"), data: Fields }),
  mcp: Schema.Struct({ type: Schema.Literal("mcp"), data: Fields }),
  state: Schema.Struct({ type: Schema.Literal("state") }),
  close: Schema.Struct({ type: Schema.Literal("close") }),
}

/** The body of `POST /step`. */
export const Step = Schema.Struct({ action: Fields })

export type Code =
  | "INVALID_JSON"
  | "UNKNOWN_TYPE"
  | "VALIDATION_ERROR"
  | "EXECUTION_ERROR"
  | "CAPACITY_REACHED"
  | "FACTORY_ERROR"

export interface Problem {
  readonly code: Code
  readonly message: string
}

const isType = (type: unknown): type is Message["type"] => typeof type === "string" && Object.hasOwn(MESSAGES, type)

const decoders: {
  readonly [Type in Message["type"]]: (given: unknown) => Either.Either<Message, ParseError>
} = {
  reset: Schema.decodeUnknownEither(MESSAGES.reset),
  step: Schema.decodeUnknownEither(MESSAGES.step),
  mcp: Schema.decodeUnknownEither(MESSAGES.mcp),
  state: Schema.decodeUnknownEither(MESSAGES.state),
  close: Schema.decodeUnknownEither(MESSAGES.close),
}

/** Decodes a message of a session. */
export const decode = (text: string): Either.Either<Message, Problem> => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (cause) {
    const message = `Invalid JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    return Either.left({ code: "INVALID_JSON", message })
  }
  if (isTooDeep(given)) {
    const message = `Invalid message: expected at most ${MAX_DEPTH} levels, found more`
    return Either.left({ code: "VALIDATION_ERROR", message })
  }
  const type: unknown = typeof given === "object" && given !== null && "type" in given ? given.type : undefined
  if (!isType(type)) {
    const message = `Unknown message type: ${JSON.stringify(type ?? null).slice(0, 100)}`
    return Either.left({ code: "UNKNOWN_TYPE", message })
  }
  return Either.mapLeft(decoders[type](given), (error) => ({
    code: "VALIDATION_ERROR" as const,
    message: `Invalid message: ${mistakesIn(error)}`,
  }))
}

/** The mistakes in a message, in one line. */
export const mistakesIn = (error: ParseError): string =>
  mistakesOf(error)
    .map(({ path, message }) => `${path.join(".") || "the message"}: ${message}`)
    .join("; ")

/** The world's action in the fields of an action: those of a Dict space themselves, otherwise the field `action`. */
export const actionIn = (fields: JsonObject, space: Space): Json => {
  // Clients add it to every action.
  const { metadata: _, ...own } = fields
  return space.type === "Dict" ? ("metadata" in space.subspaces ? fields : own) : (fields.action ?? null)
}

/** The answer to a reset. */
export const begun = ({ observation, info }: Shown): JsonObject => ({
  observation: { observation, terminated: false, truncated: false, info },
  reward: 0,
  done: false,
  metadata: info,
})

/** The answer to a step. OpenEnv has one flag for both ends of an episode, so both are in the observation. */
export const stepped = ({ observation, reward, terminated, truncated, info }: StepResult): JsonObject => ({
  observation: { observation, terminated, truncated, info },
  reward,
  done: terminated || truncated,
  metadata: info,
})

/** The schemas of actions, observations and states. */
export const schemas = ({ action, observation }: Spaces): JsonObject => ({
  action:
    action.type === "Dict"
      ? { title: "Action", ...jsonSchemaOf(action) }
      : {
          title: "Action",
          type: "object",
          properties: { action: jsonSchemaOf(action), metadata: { type: "object" } },
          required: ["action"],
          additionalProperties: false,
        },
  observation: {
    title: "Observation",
    type: "object",
    properties: {
      observation: jsonSchemaOf(observation),
      terminated: { type: "boolean" },
      truncated: { type: "boolean" },
      info: { type: "object" },
    },
    required: ["observation", "terminated", "truncated", "info"],
  },
  state: {
    title: "State",
    type: "object",
    properties: {
      episode_id: { anyOf: [{ type: "string" }, { type: "null" }] },
      step_count: { type: "integer", minimum: 0 },
      task: { anyOf: [{ type: "string" }, { type: "null" }], description: "The task of Hindcast's log" },
    },
    required: ["episode_id", "step_count"],
  },
})

/** The answer of an environment without tools of MCP. */
export const noMcp = (request: unknown): JsonObject => {
  const id: unknown = typeof request === "object" && request !== null && "id" in request ? request.id : null
  return {
    jsonrpc: "2.0",
    id: typeof id === "string" || typeof id === "number" ? id : null,
    error: { code: -32603, message: "Environment does not support MCP", data: null },
  }
}

/** A description of the paths, which `openenv validate` compares with the mode. */
export const openApi = (title: string, version: string): JsonObject => {
  const does = (summary: string) => ({ summary, responses: { "200": { description: "The answer" } } })
  return {
    openapi: "3.1.0",
    info: { title, version },
    paths: {
      "/health": { get: does("Whether the server runs") },
      "/metadata": { get: does("The environment's name and description") },
      "/schema": { get: does("The schemas of actions, observations and states") },
      "/state": { get: does("The state of a new environment") },
      "/reset": { post: does("The first observation of a new environment") },
      "/step": { post: does("One step of a new environment") },
      "/mcp": { post: does("JSON-RPC of MCP, which these environments do not support") },
    },
  }
}

/** The options that a reset gives to the world. */
export const resetOptions = ({ seed, options }: Reset): { readonly seed?: number; readonly options?: JsonObject } =>
  defined({ seed: seed ?? undefined, options: options ?? undefined })
