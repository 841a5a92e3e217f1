import { Clock, type Context, Data, Effect, Random } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Registry } from "../registry/Registry.ts"

/** How often a plugin may crash, and how long it is waited before it is started again. Times in milliseconds. */
export interface Policy {
  /** Crashes within this time count. Default: 5 minutes. */
  readonly windowMs: number
  /** As many crashes within the window quarantine the plugin. Default: 5. */
  readonly crashes: number
  /** The longest that is waited after the first crash; twice as long after each one more. Default: 250. */
  readonly firstMs: number
  /** The longest that is waited after any. Default: 10 000. */
  readonly mostMs: number
}

/** Its schema. */
export const Policy = Options.of<Policy>({
  required: {
    windowMs: Options.Milliseconds,
    crashes: Options.wholeNumber(1, 1_000_000),
    firstMs: Options.Milliseconds,
    mostMs: Options.Milliseconds,
  },
}).annotations({ description: "an object with windowMs, crashes, firstMs and mostMs" })

export const standard: Policy = { windowMs: 300_000, crashes: 5, firstMs: 250, mostMs: 10_000 }

/** The unexpected end of a process, or of its start. */
export interface Crash {
  /** When, in epoch milliseconds. */
  readonly at: number
  /** In [0, 1), drawn when it happened: plugins that crashed together are not started together. */
  readonly jitter: number
}

/** Whether a plugin may be started. */
export type RestartState =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Waiting"; readonly ms: number }
  | { readonly _tag: "Quarantined"; readonly crashes: number }

/** What past crashes, oldest first, call for at some moment. Pure: the same crashes give the same answer. */
export const standing = (crashes: ReadonlyArray<Crash>, now: number, policy: Policy): RestartState => {
  const counted = crashes.filter(({ at }) => at > now - policy.windowMs)
  const last = counted.at(-1)
  if (last === undefined) return { _tag: "Ready" }
  if (counted.length >= policy.crashes) return { _tag: "Quarantined", crashes: counted.length }
  const ms = Math.ceil(last.at + delayMs(counted.length, last.jitter, policy) - now)
  return ms > 0 ? { _tag: "Waiting", ms } : { _tag: "Ready" }
}

/** How long is waited after so many crashes: from half of what they call for to all of it. */
const delayMs = (crashes: number, jitter: number, { firstMs, mostMs }: Policy): number =>
  Math.min(mostMs, firstMs * 2 ** (crashes - 1)) * (0.5 + jitter / 2)

/** Find out why it crashes; then `hindcast plugin activate` lifts the quarantine. */
export class PluginInQuarantine extends Data.TaggedError("PluginInQuarantine")<{
  readonly plugin: string
  readonly reason: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is in quarantine and is not started: ${this.reason}. \`hindcast plugin activate ${this.plugin}\` lifts it.`
  }
}

/** Keeps plugins that crash from being started too soon and too often. */
export interface Supervisor {
  /** Succeeds when a plugin may be started: waits as long as its crashes call for. */
  readonly admit: (plugin: string) => Effect.Effect<void, PluginInQuarantine | LogError>
  /** Takes note that a plugin crashed, and how. One crash too many is recorded as `PluginQuarantined`. */
  readonly crashed: (plugin: string, how: string) => Effect.Effect<void>
}

/** Whose plugins are supervised. */
export interface Supervised {
  readonly log: Context.Tag.Service<EventLog>
  readonly registry: Context.Tag.Service<Registry>
  /** Default: `standard`. */
  readonly policy?: Policy
}

/** The quarantine itself is in the log, so that it outlives the kernel; what has not led to one yet is forgotten with it. */
export const make = ({ log, registry, policy = standard }: Supervised): Supervisor => {
  const crashesOf = new Map<string, ReadonlyArray<Crash>>()

  const admit = (plugin: string): Effect.Effect<void, PluginInQuarantine | LogError> =>
    Effect.gen(function* () {
      // As it stands now: whoever asks may have looked at it before the crash.
      const reason = SafeRecord.get(yield* registry.state, plugin)?.quarantined ?? null
      if (reason !== null) return yield* new PluginInQuarantine({ plugin, reason })
      const now = yield* Clock.currentTimeMillis
      const found = standing(crashesOf.get(plugin) ?? [], now, policy)
      if (found._tag !== "Waiting") return
      yield* Effect.sleep(found.ms)
      yield* admit(plugin)
    })

  const crashed = (plugin: string, how: string) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const jitter = yield* Random.next
      const crashes = [
        ...(crashesOf.get(plugin) ?? []).filter((crash) => crash.at > at - policy.windowMs),
        { at, jitter },
      ]
      if (standing(crashes, at, policy)._tag !== "Quarantined") {
        crashesOf.set(plugin, crashes)
        return
      }
      // Whoever lifts the quarantine starts over.
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
