/** Decodes a plugin's host requests and executes them within its grants. */
import * as crypto from "node:crypto"
import { Effect, Schema } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import type { Client, Method, RequestResult } from "./Client.ts"
import { type FetchRequest, fetchGranted, grantedHost } from "./fetch.ts"
import { grantedPath, readGranted, writeGranted } from "./files.ts"
import { grantedCommand, runCommand } from "./run.ts"

export type { Client, HostApiLimits } from "./Client.ts"

/** The methods' names in gate rules. */
export const KINDS = { run: "run", readFile: "read", writeFile: "write", fetch: "fetch" } as const

/** A method's name in gate rules. */
export type RequestKind = (typeof KINDS)[Method]

/** A decoded request. */
export interface Request {
  readonly method: Method
  /** The target that gate rules decide about: command, real path or host. Fails without a grant. */
  readonly target: (client: Client) => Effect.Effect<string, Failure>
  /** For the person who decides. Hides values of credential headers. */
  readonly shown: JsonObject
  /** For the log: contents reduced to size and digest. */
  readonly logged: JsonObject
  /** Executes the request. Interruption kills its command. */
  readonly execute: (client: Client) => Effect.Effect<RequestResult, Failure>
}

/** Decodes parameters by the method's schema. */
export const request = (method: Method, params: JsonObject): Effect.Effect<Request, Failure> => {
  switch (method) {
    case "run":
      return Effect.map(parse(RunParams, params), ({ command, args }) => ({
        method,
        target: (client) => grantedCommand(client, command),
        shown: { command, args },
        logged: { command, args },
        execute: (client) =>
          Effect.map(runCommand(client, command, args), (result) => ({
            value: { ...result },
            logged: {
              code: result.code,
              signal: result.signal,
              stdout: summary(result.stdout),
              stderr: summary(result.stderr),
            },
          })),
      }))
    case "readFile":
      return Effect.map(parse(ReadParams, params), ({ path }) => ({
        method,
        target: (client) => grantedPath(client, "read", path),
        shown: { path },
        logged: { path },
        execute: (client) =>
          Effect.map(readGranted(client, path), (content) => ({ value: content, logged: summary(content) })),
      }))
    case "writeFile":
      return Effect.map(parse(WriteParams, params), ({ path, content }) => ({
        method,
        target: (client) => grantedPath(client, "write", path),
        shown: { path, content },
        logged: { path, ...summary(content) },
        execute: (client) => Effect.as(writeGranted(client, path, content), { value: null, logged: summary(content) }),
      }))
    case "fetch":
      return Effect.map(parse(FetchParams, params), (asked) => fetchRequest(asked))
  }
}

/**
 * The log gets only the names of headers, because values may be secrets. A person who decides sees all values except
 * those of credential headers.
 */
const fetchRequest = ({ url, method = "GET", headers = {}, body, parts = false }: typeof FetchParams.Type): Request => {
  const fetching: FetchRequest = { url, method: method.toUpperCase(), headers, body }
  return {
    method: "fetch",
    target: (client) => grantedHost(client, fetching),
    shown: {
      url,
      method: fetching.method,
      headers: Object.fromEntries(Object.entries(headers).map(withoutSecret)),
      ...defined({ body }),
    },
    logged: {
      url,
      method: fetching.method,
      headers: Object.keys(headers),
      ...(body === undefined ? {} : { body: summary(body) }),
    },
    execute: (client) =>
      Effect.map(fetchGranted(parts ? client : withoutParts(client), fetching), ({ result, body, via }) => ({
        value: { ...result },
        logged: { status: result.status, via, bytes: body.length, sha256: crypto.hash("sha256", body, "hex") },
      })),
  }
}

const withoutParts = ({ onPart: _, ...client }: Client): Client => client

const withoutSecret = ([name, value]: readonly [string, string]) =>
  [
    name,
    CREDENTIAL_HEADER.test(name) ? `not shown, for it may be a secret: ${value.length} characters` : value,
  ] as const

/** Credential headers: RFC 9110 (11.6.2, 11.7.1), RFC 6265, and common names of web services. */
const CREDENTIAL_HEADER = /^(?:proxy-)?authorization$|^cookie$|(?:^|-)(?:key|token|secret|password|signature)$/i

const RunParams = Schema.Struct({ command: Schema.NonEmptyString, args: Schema.Array(Schema.String) })
const ReadParams = Schema.Struct({ path: Schema.NonEmptyString })
const WriteParams = Schema.Struct({ path: Schema.NonEmptyString, content: Schema.String })

const FetchParams = Schema.Struct({
  url: Schema.NonEmptyString,
  method: Schema.optional(Schema.NonEmptyString),
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  body: Schema.optional(Schema.String),
  /** Whether the plugin wants the parts of the body as they come. */
  parts: Schema.optional(Schema.Boolean),
})

const parse = <A, I>(schema: Schema.Schema<A, I>, params: JsonObject): Effect.Effect<A, Failure> =>
  Effect.mapError(Schema.decodeUnknown(schema)(params), (error) => ({
    code: "ParametersInvalid",
    message: describe(error).slice(0, 300),
  }))

const summary = (content: string) => ({ bytes: Buffer.byteLength(content), sha256: sha256(content) })
