/** The entry of a plugin that is an MCP server: the server, and the definitions of its tools and resources. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import { ComponentId, Text } from "../manifest/fields.ts"
import { PluginUnavailable } from "../PluginError.ts"

/** The entry's name in a plugin that `hindcast plugin add --mcp` makes. */
export const FILE = "server.json"

/** A program on this machine, which speaks on its standard input and output. */
export const LocalServer = Schema.Struct({
  command: Text,
  args: Schema.Array(Schema.String),
})

export type LocalServer = typeof LocalServer.Type

/** A server that speaks Streamable HTTP. */
export const RemoteServer = Schema.Struct({
  url: Text,
  /** Headers of each request, by name: the environment variable with the value, which nothing stores. */
  headers: Schema.optional(Schema.Record({ key: Text, value: Text })),
  /** Addresses of private networks to which its host may lead. */
  addresses: Schema.optional(Schema.Array(Text)),
})

export type RemoteServer = typeof RemoteServer.Type

export const Server = Schema.Union(LocalServer, RemoteServer)

export type Server = typeof Server.Type

export const ServerEntry = Schema.Struct({
  server: Server,
  /** Definitions as the server listed them. Only these definitions are called. */
  tools: Schema.Array(Schema.Struct({ actuator: ComponentId, definition: JsonObject })),
  resources: Schema.Array(Schema.Struct({ sensor: ComponentId, uri: Text })),
})

export type ServerEntry = typeof ServerEntry.Type

export const isLocal = (server: Server): server is LocalServer => "command" in server

/** The server in a few words: its command line or its URL. */
export const named = (server: Server): string =>
  isLocal(server) ? [server.command, ...server.args].join(" ") : server.url

/** The variables of the environment that a server needs. */
export const variablesOf = (server: Server): ReadonlyArray<string> =>
  isLocal(server) ? [] : [...new Set(Object.values(server.headers ?? {}))]

/** Reads the entry from an installed plugin's directory. */
export const read = (plugin: string, directory: string, entry: string): Effect.Effect<ServerEntry, PluginUnavailable> =>
  Effect.tryPromise(() => fs.readFile(path.join(directory, entry), "utf8")).pipe(
    Effect.flatMap(Schema.decode(Schema.parseJson(ServerEntry))),
    Effect.mapError((error) => {
      const found = error._tag === "ParseError" ? describe(error) : String(error.error)
      return new PluginUnavailable({
        plugin,
        reason: `expected ${entry} to name an MCP server with its tools and resources, found ${found}`,
      })
    }),
  )
