import type { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Grants } from "../manifest/Grants.ts"
import type { CommandLine } from "../sandbox/Sandbox.ts"

/** For whom: the allow-list, and where relative paths and commands start. */
export interface Client {
  readonly grants: Grants
  /** An absolute, real path. */
  readonly workspace: string
  /** What `"."` in its permissions is, which another workspace than the present one may have been bound to. Default: not said. */
  readonly bound?: string | undefined
  /** Absolute, real paths of files and directories that are neither read nor written, whatever is granted. Default: none. */
  readonly forbidden?: ReadonlyArray<string>
  /** The plugin's own directory, by its real path: it may be read even where it is forbidden. */
  readonly directory?: string
  /** How a command that runs in a directory is confined. Default: not at all. */
  readonly confine?: (commandLine: CommandLine, cwd: string) => CommandLine
  readonly limits?: BrokerLimits
  /** What a ruling let pass, where requests are ruled on: nothing else is carried out. Default: whatever is granted. */
  readonly ruledOn?: RuledOn
  /** Stands between a request and the host: the authors' test kit watches and answers there. Default: nothing does. */
  readonly intercept?: Intercept | undefined
}

/** What was ruled on before a request is carried out. */
export interface RuledOn {
  /** The command, the real path or the host. */
  readonly target: string
  /** Whether a redirect may lead to a host. */
  readonly allows: (host: string) => boolean
}

/** Carries a request out, or answers in the host's place. Whether it is granted, only `carryOut` looks at. */
export type Intercept = (
  method: Method,
  params: JsonObject,
  carryOut: Effect.Effect<Executed, Failure>,
) => Effect.Effect<Executed, Failure>

export interface BrokerLimits {
  /** One command, in milliseconds. Default: 30 000. */
  readonly runMs?: number
  /** Each output stream of a command, in bytes. Default: 1 MiB. */
  readonly outputBytes?: number
  /** One file, read or written, in bytes. Default: 4 MiB, so that it fits a frame. */
  readonly fileBytes?: number
  /** One request to the network with all its redirects, in milliseconds. Default: 30 000. */
  readonly fetchMs?: number
  /** The body of a request, and that of an answer, in bytes. Default: 4 MiB; answers in base64 are longer by a third. */
  readonly bodyBytes?: number
}

/** What the host does for a plugin outside its sandbox, and within its grants. */
export type Method = "run" | "readFile" | "writeFile" | "fetch"

/** What a request came to. */
export interface Executed {
  /** For the plugin. */
  readonly value: Json
  /** For the log: contents as size and digest only. */
  readonly logged: JsonObject
}
