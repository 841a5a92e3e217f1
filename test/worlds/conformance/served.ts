/** A sample's world as the conformance checks drive it: served as its process serves it, without the process. */

import { inspect } from "node:util"
import { Effect } from "effect"
import type { JsonObject, MultiAgentWorld, PluginContext } from "../../../src/plugins/author.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { worldOf } from "../../../src/plugins/manifest/world.ts"
import { CallFailed } from "../../../src/plugins/PluginError.ts"
import type { RoundAnswer } from "../../../src/plugins/process/ComponentCalls.ts"
import type { Json } from "../../../src/values/Json.ts"
import { check } from "../../../src/worlds/conformance/Conformance.ts"
import * as ProcessWorld from "../../../src/worlds/conformance/ProcessWorld.ts"

// The modules of the runner take what they use of Deno when they are loaded.
Reflect.set(globalThis, "Deno", { inspect, exit: process.exit, stdin: {}, stdout: {} })
const { serve } = await import("../../../src/plugins/runner/world/ServedWorld.ts")
const { errorOutcome } = await import("../../../src/plugins/runner/Outcome.ts")

/** What the checks find of a world with options. `world` makes a copy, as if it were in a new process. */
export const checkServed = (directory: string, world: () => MultiAgentWorld, options: JsonObject) =>
  check(
    ProcessWorld.opening(
      Effect.map(Manifest.load(directory), ({ manifest }) => ({ manifest, process: served(manifest, world()) })),
      { options },
    ),
    { seeds: [1] },
  )

const served = (manifest: Manifest.Manifest, world: MultiAgentWorld): ProcessWorld.WorldProcess["process"] => {
  const facts = worldOf(manifest)
  if (facts === undefined) throw new Error(`${manifest.name} is no world`)
  const { sensors, reset, restore, round, state } = serve(world, facts, 1)
  const called = <A>(call: string, run: () => unknown): Effect.Effect<A, CallFailed> =>
    Effect.tryPromise({
      // As JSON, as it comes from a process.
      try: async () => JSON.parse(JSON.stringify((await run()) ?? null)) as A,
      catch: (cause) => {
        const outcome = errorOutcome(cause)
        return new CallFailed({
          plugin: manifest.name,
          call,
          error: outcome.type === "error" ? outcome.error : { code: "Error", message: outcome.type },
        })
      },
    })
  return {
    read: (sensor, { agent = null } = {}) => called(`read ${sensor}`, () => sensors[sensor]?.(contextOf(agent))),
    reset: (options, call = {}) =>
      called<Json>("reset", async () => {
        await reset(contextOf(null), options, call)
        return state()
      }),
    restore: (options, document) =>
      called<Json>("restore", async () => {
        await restore?.(contextOf(null), options, document)
        return state()
      }),
    round: (actions) =>
      called<RoundAnswer>("round", async () => ({ agents: await round(contextOf(null), actions), state: state() })),
  }
}

/** Only what the worlds of the tests use. */
const contextOf = (agent: string | null) => ({ agent }) as unknown as PluginContext
