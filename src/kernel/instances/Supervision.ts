/** Restarts crashed plugins with a back-off, and quarantines those that crash too often. */

import { Data, Effect, Random } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import type { Registry } from "../registry/Registry.ts"

/** The restart policy for crashed plugins. Times in milliseconds. */
export interface RestartPolicy {
  /** Only crashes within this time count. Default: 5 minutes. */
  readonly windowMs: number
  /** Number of crashes within the window that quarantines the plugin. Default: 5. */
  readonly crashes: number
  /** Longest delay after the first crash; it doubles with each further one. Default: 250. */
  readonly firstMs: number
  /** Longest delay. Default: 10 000. */
  readonly mostMs: number
}

/** Schema of `RestartPolicy`. */
export const RestartPolicy = Options.of<RestartPolicy>({
  required: {
    windowMs: Options.Milliseconds,
    crashes: Options.wholeNumber(1, 1_000_000),
    firstMs: Options.Milliseconds,
    mostMs: Options.Milliseconds,
  },
}).annotations({ description: "an object with windowMs, crashes, firstMs and mostMs" })

export const standard: RestartPolicy = { windowMs: 300_000, crashes: 5, firstMs: 250, mostMs: 10_000 }

export interface Crash {
  /** In milliseconds, by the monotonic clock. */
  readonly at: number
  /** Random number in [0, 1) drawn at the crash, so that plugins that crashed together do not restart together. */
  readonly jitter: number
}

export type RestartState =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Waiting"; readonly ms: number }
  | { readonly _tag: "Quarantined"; readonly crashes: number }

/** The restart state after crashes, oldest first, at a time. Pure. */
export const restartState = (crashes: ReadonlyArray<Crash>, now: number, policy: RestartPolicy): RestartState => {
  const counted = crashes.filter(({ at }) => at > now - policy.windowMs)
  const last = counted.at(-1)
  if (last === undefined) return { _tag: "Ready" }
  if (counted.length >= policy.crashes) return { _tag: "Quarantined", crashes: counted.length }
  const ms = Math.ceil(last.at + delayMs(counted.length, last.jitter, policy) - now)
  return ms > 0 ? { _tag: "Waiting", ms } : { _tag: "Ready" }
}

/** Between half and all of the back-off. */
const delayMs = (crashes: number, jitter: number, { firstMs, mostMs }: RestartPolicy): number =>
  Math.min(mostMs, firstMs * 2 ** (crashes - 1)) * (0.5 + jitter / 2)

/**
 * The plugin crashed too often and does not start. Find out why, then lift the quarantine with `hindcast plugin
 * activate`.
 */
export class PluginInQuarantine extends Data.TaggedError("PluginInQuarantine")<{
  readonly plugin: string
  readonly reason: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is in quarantine and is not started: ${this.reason}. \`hindcast plugin activate ${quoteWord(this.plugin)}\` lifts it.`
  }
}

export interface Supervisor {
  /** Waits for the back-off; succeeds when the plugin may start. */
  readonly admit: (plugin: string) => Effect.Effect<void, PluginInQuarantine | LogError>
  /** Registers a crash. Records `PluginQuarantined` at the policy's limit. */
  readonly crashed: (plugin: string, how: string) => Effect.Effect<void>
}

export interface SupervisorOptions {
  readonly log: EventLog.Service
  readonly registry: Registry.Service
  readonly policy?: RestartPolicy
}

/** Quarantines are in the log and outlive the kernel. Other crashes are forgotten with it. */
export const make = ({ log, registry, policy = standard }: SupervisorOptions): Supervisor => {
  const crashesOf = new Map<string, ReadonlyArray<Crash>>()

  const admit = (plugin: string): Effect.Effect<void, PluginInQuarantine | LogError> =>
    Effect.gen(function* () {
      const reason = SafeRecord.get(yield* registry.state, plugin)?.quarantined ?? null
      if (reason !== null) return yield* new PluginInQuarantine({ plugin, reason })
      const now = yield* MonotonicClock.now
      const found = restartState(crashesOf.get(plugin) ?? [], now, policy)
      if (found._tag !== "Waiting") return
      yield* Effect.sleep(found.ms)
      yield* admit(plugin)
    })

  const crashed = (plugin: string, how: string) =>
    Effect.gen(function* () {
      const at = yield* MonotonicClock.now
      const jitter = yield* Random.next
      const crashes = [
        ...(crashesOf.get(plugin) ?? []).filter((crash) => crash.at > at - policy.windowMs),
        { at, jitter },
      ]
      if (restartState(crashes, at, policy)._tag !== "Quarantined") {
        crashesOf.set(plugin, crashes)
        return
      }
      // After the quarantine, the count starts at zero.
      crashesOf.delete(plugin)
      const reason = plainText(
        `it crashed ${crashes.length} times within ${policy.windowMs / 1000} s, the last time: ${how}`,
      )
      yield* log.append({
        stream: `plugin/${plugin}`,
        actor: "kernel",
        events: [{ type: "PluginQuarantined", payload: { plugin, reason } }],
      })
    }).pipe(
      Effect.catchAllCause((cause) => ProgramLog.error(`the quarantine of ${plugin} was not recorded`, cause)),
      Effect.uninterruptible,
    )

  return { admit, crashed }
}
