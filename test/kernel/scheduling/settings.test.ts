import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import { events, type Sample } from "../given.ts"
import { testKernel } from "../testKernel.ts"

const mirror: Sample = {
  name: "mirror",
  sensors: [
    { name: "left", priority: 1, metadata: { tint: "none" } },
    { name: "right", priority: 0 },
  ],
  actuators: [{ name: "look" }],
  entry: `
    export default {
      sensors: { left: (ctx) => ctx.metadata, right: (ctx) => ctx.metadata },
      actuators: { look: (ctx) => ctx.metadata },
    }`,
}

describe("what is set while a task is open", () => {
  it.scopedLive("is what the plugin's running process sees at its next turn, by whichever program it was set", () =>
    Effect.gen(function* () {
      const { log, directory, layer } = yield* testKernel({ plugins: [mirror] })
      yield* Effect.gen(function* () {
        const { plugins, tasks } = yield* Kernel
        const task = yield* tasks.open({ goal: "look" })
        const seen = Effect.map(task.perceive(), (readings) =>
          readings.map(({ sensor, reading, event }) => [sensor, reading, event.payload.priority]),
        )
        expect(yield* seen).toEqual([
          ["mirror/left", { tint: "none" }, 1],
          ["mirror/right", {}, 0],
        ])

        const elsewhere = Hindcast.layerLog({ log, workspace: directory })
        yield* Effect.flatMap(Registry, (registry) =>
          Effect.zipRight(
            registry.setMetadata("mirror/left", "tint", { red: 3 }),
            registry.setPriority("mirror/right", 7),
          ),
        ).pipe(Effect.provide(elsewhere))
        yield* plugins.setMetadata("mirror/look", "since", 1)
        expect(yield* seen).toEqual([
          ["mirror/right", {}, 7],
          ["mirror/left", { tint: { red: 3 } }, 1],
        ])
        expect(yield* task.act("mirror/look")).toMatchObject({ result: { since: 1 } })

        yield* plugins.unsetMetadata("mirror/left", "tint")
        yield* plugins.deactivate("mirror/right")
        expect(yield* seen).toEqual([["mirror/left", {}, 1]])
        expect(yield* events("PluginStarted")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )
})
