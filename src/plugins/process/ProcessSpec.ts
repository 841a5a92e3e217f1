/** The inputs of a plugin's process: plugin, grants, limits and listeners. */
import type { JsonObject } from "../../values/Json.ts"
import type * as EventRecorder from "../channel/EventRecorder.ts"
import type * as PushedReadings from "../channel/PushedReadings.ts"
import type { HostRequestGate } from "../channel/RequestRuling.ts"
import type { RequestInterceptor } from "../hostapi/Client.ts"
import type { Grants } from "../manifest/Grants.ts"
import type { Manifest } from "../manifest/Manifest.ts"
import type { AskPerson } from "../mcp/AskPerson.ts"
import type { Pins } from "../mcp/ToolPins.ts"
import type { MayStart } from "../sandbox/Consent.ts"
import type { SandboxLimits } from "../sandbox/Limits.ts"

/** Metadata of a plugin and its components, from the manifest and from people. */
export interface ProcessMetadata {
  /** Of the plugin; the environment's `reset` receives it. */
  readonly plugin: JsonObject
  /** By component, without the plugin's name. */
  readonly components: { readonly [component: string]: JsonObject }
}

/** Limits of one process. */
export interface ProcessLimits extends SandboxLimits {
  /** From spawning to `ready`, in milliseconds. Default: 10 000, enough for loaded machines. */
  readonly handshakeMs?: number
  /** Default time-out of a call, in milliseconds. Default: 30 000. */
  readonly callMs?: number
  /** Time to acknowledge a cancellation, in milliseconds; then the process is killed. Default: 1 000. */
  readonly cancelMs?: number
  /** Interval of pings, in milliseconds. A process that misses two is stuck, and is killed. Default: 5 000. */
  readonly pingMs?: number
  /** Wait after each step of stopping (shutdown frame, SIGTERM, SIGKILL), in milliseconds. Default: 500. */
  readonly stopMs?: number
  /**
   * Printed, logged and pushed bytes per second. Above it, the host stops reading, and the process blocks in its
   * writes. Default: 4 MiB, with a burst of twice as much.
   */
  readonly outputBytesPerSecond?: number
  /** Recorded log lines per second. Further ones are dropped and counted. Default: 200. */
  readonly logLinesPerSecond?: number
}

/** The inputs of starting a process. */
export interface ProcessSpec {
  readonly manifest: Manifest
  /** An absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute paths that no plugin may read or write under any grants: the log and files next to it. The plugin's own
   * directory stays readable inside them. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** An absolute, real path. */
  readonly workspace: string
  /** The workspace that `"."` meant at import, for error messages. Default: unknown. */
  readonly bound?: string
  /** The seed of `context.random`. */
  readonly seed: number
  /** `kernel`, or the id of the task that the process serves. */
  readonly instance: string
  /** This plugin's own Deno cache. Created if missing. */
  readonly denoDir: string
  readonly metadata: ProcessMetadata
  readonly limits?: ProcessLimits
  /**
   * Records `PluginStarted`, `PluginExited`, `PluginLogged`, `BrokerRequested` and `BrokerAnswered` in order, and
   * `PrecomputeStarted` before them. Events of a call carry its task, those of a `precomputed` module none. A host
   * request that cannot be recorded is not executed. If an event about the past cannot be recorded, the program's log
   * gets the failure.
   */
  readonly record: EventRecorder.RecordEvent
  /**
   * Takes pushed readings one by one; the next waits until the effect completes. At most 256 wait. Further ones are
   * dropped, and `PluginLogged` reports their number. Default: readings are refused.
   */
  readonly onEmit?: PushedReadings.OnEmit
  /**
   * Whether the process may start if only Deno's permissions confine it; called only then. Default: the host's consent
   * decides.
   */
  readonly consent?: MayStart
  /** Rules on granted host requests. Default: all are executed. */
  readonly ruling?: HostRequestGate
  /** Wraps the handling of host requests. Default: none. */
  readonly intercept?: RequestInterceptor
  /** Asks a person for an MCP server. Default: nobody can be asked, so its questions are cancelled. */
  readonly ask?: AskPerson
  /** Digests of an MCP server's tools that people approved since the import. Default: none. */
  readonly approvedTools?: Pins
}
