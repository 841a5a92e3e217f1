/** What a plugin's process is started with: its plugin, its grants, its limits, and who hears of it. */
import type { JsonObject } from "../../values/Json.ts"
import type * as EventRecorder from "../channel/EventRecorder.ts"
import type * as PushedReadings from "../channel/PushedReadings.ts"
import type { HostRequestGate } from "../channel/RequestRuling.ts"
import type { RequestInterceptor } from "../hostapi/Client.ts"
import type { Grants } from "../manifest/Grants.ts"
import type { Manifest } from "../manifest/Manifest.ts"
import type { MayStart } from "../sandbox/Consent.ts"
import type { SandboxLimits } from "../sandbox/Limits.ts"

/** The metadata of a plugin and its components, from the manifest and from people. */
export interface ProcessMetadata {
  /** The plugin's metadata, which the environment's `reset` receives. */
  readonly plugin: JsonObject
  /** The components' metadata, by the component's name without the plugin's. */
  readonly components: { readonly [component: string]: JsonObject }
}

/** Limits of one process. */
export interface ProcessLimits extends SandboxLimits {
  /** From spawning to the `ready` frame, in milliseconds. Default: 10 000, which leaves room for loaded machines. */
  readonly handshakeMs?: number
  /** The default time-out of a call, in milliseconds. Default: 30 000. */
  readonly callMs?: number
  /**
   * How long a cancelled call may stay unacknowledged, in milliseconds, before the process is killed. Default: 1 000.
   */
  readonly cancelMs?: number
  /**
   * The interval between two pings, in milliseconds. A process that misses two pings is stuck and is killed. Default: 5
   * 000.
   */
  readonly pingMs?: number
  /** The wait after each stop step (shutdown frame, SIGTERM, SIGKILL), in milliseconds. Default: 500. */
  readonly stopMs?: number
  /**
   * Limit on printed, logged and pushed bytes per second. Above it, reading is paused, so that the process blocks in
   * its writes. Default: 4 MiB, with a burst of twice as much.
   */
  readonly outputBytesPerSecond?: number
  /** Limit on recorded log lines per second. Further lines are dropped and counted. Default: 200. */
  readonly logLinesPerSecond?: number
}

/** The inputs of starting a process. */
export interface ProcessSpec {
  readonly manifest: Manifest
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute paths of files and directories that no plugin may read or write, whatever it was granted: the log and the
   * files beside it. Inside them, the plugin's own directory stays readable. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** The workspace: an absolute, real path. */
  readonly workspace: string
  /** The workspace that `"."` in the permissions was bound to at import, for error messages. Default: unknown. */
  readonly bound?: string
  /** The seed of the plugin's `random`. */
  readonly seed: number
  /** `kernel`, or the id of the task that the process serves. */
  readonly instance: string
  /** The Deno cache of this plugin alone. It is created if missing. */
  readonly denoDir: string
  readonly metadata: ProcessMetadata
  readonly limits?: ProcessLimits
  /**
   * Records `PluginStarted`, `PluginExited`, `PluginLogged`, `BrokerRequested` and `BrokerAnswered`, in order, and
   * `PrecomputeStarted` before them. Events on behalf of a call carry the call's task, those of a `precomputed` module
   * carry none. If a host request cannot be recorded, it is not carried out. If an event
   * of something that has already happened cannot be recorded, the failure goes to the program's log.
   */
  readonly record: EventRecorder.RecordEvent
  /**
   * Takes pushed readings (`context.emit`) one after the other: the next one waits until this effect completes. At most
   * 256 wait; further readings are dropped, and `PluginLogged` reports their number. Default: readings are refused.
   */
  readonly onEmit?: PushedReadings.OnEmit
  /**
   * Whether the process may be started if only Deno's permissions confine it. It is called only in that case. Default:
   * the consent given to the host decides.
   */
  readonly consent?: MayStart
  /** The gate rules for granted host requests. Default: every granted request is carried out. */
  readonly ruling?: HostRequestGate
  /** Wraps the handling of host requests. Default: no wrapper. */
  readonly intercept?: RequestInterceptor
}
