/** The parameters of the editor's requests, as far as the agent reads them: ACP, version 1. */

import { Effect, Either, Schema } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import { type Mistake, mistakesOf } from "../../values/schema/Mistakes.ts"
import { type Refused, refused } from "./Refused.ts"

const nullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Block = Schema.Struct({
  type: Schema.String,
  text: nullable(Schema.String),
  data: nullable(Schema.String),
  mimeType: nullable(Schema.String),
  uri: nullable(Schema.String),
  name: nullable(Schema.String),
  resource: nullable(
    Schema.Struct({
      uri: Schema.String,
      text: nullable(Schema.String),
      blob: nullable(Schema.String),
      mimeType: nullable(Schema.String),
    }),
  ),
})

/** A block of a prompt. */
export type Block = typeof Block.Type

const McpServers = nullable(Schema.Array(Schema.Struct({ name: Schema.String })))

const SessionId = Schema.NonEmptyString

/** A directory: absolute, as ACP demands. */
const Directory = Schema.String.pipe(
  Schema.filter((path) => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)),
  Schema.annotations({ description: "an absolute path" }),
)

export const Initialize = Schema.Struct({ protocolVersion: Schema.Number })

export const NewSession = Schema.Struct({ cwd: Directory, mcpServers: McpServers })

export const LoadSession = Schema.Struct({ sessionId: SessionId, cwd: Directory, mcpServers: McpServers })

export const ListSessions = Schema.Struct({ cwd: nullable(Directory), cursor: nullable(Schema.String) })

export const Prompt = Schema.Struct({ sessionId: SessionId, prompt: Schema.Array(Block) })

export const OfSession = Schema.Struct({ sessionId: SessionId })

/** Decodes parameters, or names every mistake in them. */
export const decode = <A, I>(
  schema: Schema.Schema<A, I>,
  method: string,
  params: JsonObject,
): Effect.Effect<A, Refused> => {
  const decoded = Schema.decodeUnknownEither(schema, { errors: "all" })(params)
  return Either.isRight(decoded)
    ? Effect.succeed(decoded.right)
    : refused("params", `${method}: ${mistakesOf(decoded.left).map(describe).join("; ")}.`)
}

const describe = ({ path, message }: Mistake): string =>
  `${path.map(String).join(".") || "params"}: ${message.slice(0, MAX_SHOWN)}`

const MAX_SHOWN = 200
