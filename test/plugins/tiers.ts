import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { type HostOptions, layerOf } from "../../src/plugins/PluginHost.ts"
import * as Tier from "../../src/plugins/sandbox/Tier.ts"
import * as Tools from "../../src/plugins/Tools.ts"

const namespaces = await Effect.runPromise(
  Effect.either(Effect.flatMap(Tools.find, (tools) => Tier.choose(tools, "namespaces"))),
)

/** The tiers that this machine has. */
export const tiers: ReadonlyArray<Tier.Tier> = Either.isRight(namespaces) ? ["namespaces", "flags"] : ["flags"]

/** Where bubblewrap is not to be had, says so among the tests: what is not tested must not look as if it were. */
export const sayWhichTiers = () => {
  if (Either.isRight(namespaces)) return
  it("NOT TESTED: the namespaces tier. Install bubblewrap to test it", () => {
    process.stderr.write(`The namespaces tier was not tested: ${namespaces.left.message}\n`)
    expect(tiers).toEqual(["flags"])
  })
}

/** Starts plugins in this tier and no other. */
export const inTier = (tier: Tier.Tier, limits: HostOptions["limits"] = {}) =>
  Effect.provide(layerOf({ sandbox: tier, limits }))
