/**
 * The types of a host request's execution: the plugin that makes the request, its grants, limits and confinement, and
 * the result.
 */
import type { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Grants } from "../manifest/Grants.ts"
import type { CommandLine } from "../sandbox/Sandbox.ts"

/** The plugin that requests are carried out for: its grants, and the base of relative paths and commands. */
export interface Client {
  readonly grants: Grants
  /** The workspace: an absolute, real path. */
  readonly workspace: string
  /**
   * The workspace that `"."` in the permissions was bound to at import. It can differ from the current one. Default:
   * unknown.
   */
  readonly bound?: string | undefined
  /**
   * Absolute, real paths of files and directories that are neither read nor written, whatever is granted. Default:
   * none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** The plugin's own directory, by its real path. It may be read even inside a forbidden path. */
  readonly directory?: string
  /** Confines a command that runs in the directory `cwd`. Default: no confinement. */
  readonly confine?: (commandLine: CommandLine, cwd: string) => CommandLine
  readonly limits?: HostApiLimits
  /**
   * The decision that allowed the request, if the gate rules on requests. Only the allowed target is then used.
   * Default: every granted request is carried out.
   */
  readonly permit?: RequestPermit
  /**
   * Wraps the handling of requests. The test kit for plugin authors uses it to record and answer them. Default: no
   * wrapper.
   */
  readonly intercept?: RequestInterceptor | undefined
}

/** What a gate decision allowed. */
export interface RequestPermit {
  /** The command, the real path or the host. */
  readonly target: string
  /** Whether a redirect may lead to `host`. */
  readonly allows: (host: string) => boolean
}

/** Carries a request out by `carryOut`, or answers it in the host's place. Only `carryOut` checks the grants. */
export type RequestInterceptor = (
  method: Method,
  params: JsonObject,
  carryOut: Effect.Effect<RequestResult, Failure>,
) => Effect.Effect<RequestResult, Failure>

/** Limits of host requests. */
export interface HostApiLimits {
  /** Time-out of one command, in milliseconds. Default: 30 000. */
  readonly runMs?: number
  /** Maximum size of each output stream of a command, in bytes. Default: 1 MiB. */
  readonly outputBytes?: number
  /** Maximum size of a file, read or written, in bytes. Default: 4 MiB, which fits a frame. */
  readonly fileBytes?: number
  /** Time-out of one network request with all its redirects, in milliseconds. Default: 30 000. */
  readonly fetchMs?: number
  /**
   * Maximum size of a request body, and of a response body, in bytes. Default: 4 MiB. Responses in base64 are a third
   * longer.
   */
  readonly bodyBytes?: number
}

/** The kinds of host requests: actions outside of the plugin's sandbox and within its grants. */
export type Method = "run" | "readFile" | "writeFile" | "fetch"

/** The result of a request. */
export interface RequestResult {
  /** The value for the plugin. */
  readonly value: Json
  /** The value for the log. Contents are reduced to size and digest. */
  readonly logged: JsonObject
}
