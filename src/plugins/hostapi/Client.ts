/** Types of host requests: the requesting plugin with its grants, limits and confinement, and the result. */
import type { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Grants } from "../manifest/Grants.ts"
import type { CommandLine } from "../sandbox/Sandbox.ts"
import type { Connections } from "./connections.ts"

/** The requesting plugin: its grants, and the base of relative paths and commands. */
export interface Client {
  readonly grants: Grants
  /** An absolute, real path. */
  readonly workspace: string
  /** The workspace that `"."` meant at import, if it differs from the current one. Default: unknown. */
  readonly bound?: string | undefined
  /** Absolute, real paths that are never read or written under any grants. Default: none. */
  readonly forbidden?: ReadonlyArray<string>
  /** The plugin's own directory, by its real path: readable even inside a forbidden path. */
  readonly directory?: string
  /** Confines a command that runs in `cwd`. Default: no confinement. */
  readonly confine?: (commandLine: CommandLine, cwd: string) => CommandLine
  readonly limits?: HostApiLimits
  /** The WebSockets of its process. Default: it can open none. */
  readonly connections?: Connections
  /**
   * The gate's decision, if it rules on requests: only the allowed target is used. Default: every granted request is
   * executed.
   */
  readonly permit?: RequestPermit
  /** Receives the text of a response's body as it comes, if the request asks for it. */
  readonly onPart?: (text: string) => void
  /** Wraps the handling of requests; the test kit records and answers them with it. Default: none. */
  readonly intercept?: RequestInterceptor | undefined
}

/** A request as the gate allowed it. */
export interface RequestPermit {
  /** The command, the real path or the host. */
  readonly target: string
  /** Whether a redirect may lead to `host`. */
  readonly allows: (host: string) => boolean
}

/** Executes a request by `carryOut`, or answers it in the host's place. Only `carryOut` checks the grants. */
export type RequestInterceptor = (
  method: Method,
  params: JsonObject,
  carryOut: Effect.Effect<RequestResult, Failure>,
) => Effect.Effect<RequestResult, Failure>

/** Limits of host requests. */
export interface HostApiLimits {
  /** Time-out of a command, in milliseconds. Default: 30 000. */
  readonly runMs?: number
  /** Maximum size of each output stream of a command, in bytes. Default: 1 MiB. */
  readonly outputBytes?: number
  /** Maximum size of a file, read or written, in bytes. Default: 4 MiB, which fits a frame. */
  readonly fileBytes?: number
  /** Time-out of a network request with its redirects, in milliseconds. Default: 30 000. */
  readonly fetchMs?: number
  /** Maximum size of a request or response body, in bytes. Default: 4 MiB. Base64 makes a response a third longer. */
  readonly bodyBytes?: number
}

/** Actions outside of the plugin's sandbox and within its grants. */
export type Method = "run" | "readFile" | "writeFile" | "fetch"

/** The result of a request. */
export interface RequestResult {
  /** For the plugin. */
  readonly value: Json
  /** For the log: contents reduced to size and digest. */
  readonly logged: JsonObject
}
