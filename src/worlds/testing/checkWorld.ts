/** Conformance checks of a world in its real sandbox, for authors of worlds. */

import { Cause, Data, Effect, Exit, Schema } from "effect"
import * as ShippedPlugins from "../../plugins/ShippedPlugins.ts"
import { WantedTier } from "../../plugins/sandbox/Tier.ts"
import * as TestProcess from "../../plugins/testing/TestProcess.ts"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { check, type Report } from "../conformance/Conformance.ts"
import * as ProcessWorld from "../conformance/ProcessWorld.ts"

/** Options of `checkWorld`. */
export interface CheckWorldOptions {
  /** The options of resets. Default: none. */
  readonly options?: JsonObject
  /** The agents, in a world for several. Default: as many as the manifest allows, at most four. */
  readonly agents?: ReadonlyArray<string>
  /** The seeds of the episodes that most checks use. Default: 1, 2 and 3. */
  readonly seeds?: ReadonlyArray<number>
  /** Maximum number of steps of such an episode. Default: 200. */
  readonly steps?: number
  /** Accepts the manifests that `hindcast plugin add --lenient` accepts. Default: false. */
  readonly lenient?: boolean
  /** As in `loadPlugin`. */
  readonly sandbox?: WantedTier
  /** As in `loadPlugin`. */
  readonly consent?: "flags"
}

const CheckWorldOptions = Options.of<CheckWorldOptions>({
  optional: {
    options: JsonObject,
    agents: Schema.Array(Options.Text),
    seeds: Schema.Array(Options.Seed),
    steps: Options.wholeNumber(1),
    lenient: Schema.Boolean,
    sandbox: WantedTier,
    consent: Schema.Literal("flags"),
  },
})

/**
 * Runs the conformance checks on a plugin's world: those of Gymnasium's `check_env`, of PettingZoo's tests and of
 * Hindcast, each with an outcome. Starts a few copies of the plugin's process and ends them. Rejects if the plugin does
 * not start, or has no world.
 *
 * ```ts
 * const { conforms, findings } = await checkWorld("./cart-pole")
 * assert.ok(conforms, findings.filter(({ status }) => status === "failed").map(({ name, why }) => `${name}: ${why}`).join("\n"))
 * ```
 */
export const checkWorld = async (directory: string, options: CheckWorldOptions = {}): Promise<Report> => {
  const exit = await Effect.runPromiseExit(checking(directory, options))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** The plugin's process did not start, or the plugin has no world. */
export class WorldNotStarted extends Data.TaggedError("WorldNotStarted")<{
  readonly directory: string
  readonly code: string
  readonly reason: string
}> {
  override get message() {
    return `The world in ${this.directory} did not start (${this.code}): ${this.reason}`
  }
}

const HOW_TO_CONSENT = 'If you wrote it or trust it, say so in its test: `{ consent: "flags" }`.'

/** {@link checkWorld} as an effect. `say` tells in an error how to consent to the start. */
export const checking = (source: string, given: CheckWorldOptions, say = HOW_TO_CONSENT) =>
  Effect.gen(function* () {
    const directory = ShippedPlugins.directoryOf(source) ?? source
    const { options, agents, seeds, steps, ...starting } = yield* Options.decode("checkWorld", CheckWorldOptions, given)
    const start = Effect.map(TestProcess.start(directory, starting, say), ({ loaded, process }) => ({
      manifest: loaded.manifest,
      process,
    }))
    const open = ProcessWorld.opening(start, {
      ...defined({ options, agents }),
    })
    return yield* check(open, {
      ...defined({ seeds, steps }),
    }).pipe(Effect.mapError(({ code, message }) => new WorldNotStarted({ directory, code, reason: message })))
  })
