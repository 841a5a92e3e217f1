/**
 * A world's process for a search: clones of an episode, in which a program tries steps. The episode has a process of its
 * own, so nothing that a clone does reaches it.
 */

import { Data, Effect, type Scope } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Spaces } from "../../plugins/author.ts"
import type { ProcessCalls } from "../../plugins/process/ComponentCalls.ts"
import type { InstanceError } from "../instances/Instance.ts"
import { allowed, hasGrants, processOf, type RolloutKernel, worldIn } from "./RolloutWorld.ts"

/** The world cannot be cloned. Step it without a search, or use another world. */
export class CloneRefused extends Data.TaggedError("CloneRefused")<{
  readonly world: string
  readonly reason: string
}> {
  override get message() {
    return `${this.world} cannot be cloned: ${this.reason}`
  }
}

/** A world's process for a search. Its scope's end stops it. */
export interface SearchWorld {
  readonly version: string
  /** Of the plugin's files. */
  readonly digest: string
  readonly spaces: Spaces
  /** The gate's rule that allows all steps of the search. */
  readonly rule: string
  /** Calls of the process. */
  readonly slots: ProcessCalls["slots"]
}

/** Why a search's process cannot start. */
export type SearchWorldError = CloneRefused | InstanceError | AppendError | LogError

/** The world of a search. */
export interface SearchWorldOptions {
  readonly searchId: string
  readonly plugin: string
}

/** Asks the gate, and starts the process. A world with grants, or without `restore`, has none. */
export const open = (
  kernel: RolloutKernel,
  { searchId, plugin }: SearchWorldOptions,
): Effect.Effect<SearchWorld, SearchWorldError, Scope.Scope> =>
  Effect.gen(function* () {
    const refused = (reason: string) => new CloneRefused({ world: plugin, reason })
    const { found, manifest, environment, facts } = yield* worldIn(yield* kernel.registry.state, plugin, refused)
    if (hasGrants(found)) {
      return yield* refused(
        "expected a plugin without grants, found one that was granted something: a tried step could have effects outside of the world",
      )
    }
    if (environment.rewind?.includes("snapshot") !== true) {
      return yield* refused(
        `expected a manifest whose rewind has snapshot, found ${environment.rewind?.join(", ") ?? "none"}: its state cannot be restored`,
      )
    }
    const rule = yield* allowed(kernel.gate, plugin, found, refused)
    // A restored state has its own random numbers.
    const { slots } = yield* processOf(kernel, found, manifest, 0, `search/${searchId}`)
    return { version: manifest.version, digest: found.digest, spaces: facts.spaces, rule, slots }
  })
