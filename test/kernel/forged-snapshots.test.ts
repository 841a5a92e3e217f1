import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import { forge } from "../projections/forging.ts"
import { sql } from "../projections/storedSnapshots.ts"
import { about, type Sample, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** Its one actuator says of itself that it is dangerous. */
const launcher: Sample = {
  name: "launcher",
  actuators: [{ name: "launch", risk: "high" }],
  entry: `export default { actuators: { launch: () => "launched" } }`,
}

const launching: Agent.DecidingAgent = {
  name: "launching",
  version: "1",
  decide: ({ step }) => (step === 0 ? { act: "launcher/launch", args: {} } : { done: "achieved" }),
}

const gate = {
  rules: [{ name: "danger", risk: ["high"], decision: "confirm" }],
  default: "allow",
} as const

/** Enough changes for a snapshot of the registry. */
const fill = Effect.gen(function* () {
  const log = yield* EventLog
  const events = Array.from({ length: 1200 }, (_, index) => ({
    type: "MetadataSet" as const,
    payload: { target: "launcher", key: "note", value: `${index} ${"x".repeat(100)}` },
  }))
  yield* log.append({ stream: "plugin/launcher", actor: "test", events: events.slice(0, 600) })
  yield* log.append({ stream: "plugin/launcher", actor: "test", events: events.slice(600) })
  yield* Effect.flatMap(Projector, (projector) => projector.current(PluginRegistry.projection))
})

describe("a snapshot of the registry that was forged", () => {
  it.scopedLive("lets no command pass that the gate asks a person about (S2)", () =>
    Effect.gen(function* () {
      const { layer, log } = yield* testKernel({ plugins: [launcher], gate })
      yield* Effect.provide(Effect.zipRight(Registry, fill), layer)
      const states = yield* sql(log, "SELECT 1 FROM snapshots WHERE projection LIKE '%PluginRegistry%'")
      expect(states.length).toBeGreaterThan(0)
      const calm = (text: string) => text.replaceAll('"risk":"high"', '"risk":"none"')
      expect(yield* forge(log, calm)).toBeGreaterThan(0)

      yield* Effect.gen(function* () {
        const asked = yield* Effect.fork(seen(about("ConfirmationRequested")))
        const denied = yield* Effect.fork(
          Effect.gen(function* () {
            const { payload } = yield* Fiber.join(asked)
            const decision = { approved: false, by: "ada", channel: "program" } as const
            yield* (yield* Confirmations).decide(String(payload.confirmationId), decision)
          }),
        )
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(launching, { goal: "launch" })
        expect(yield* kernel.audit(taskId)).toMatchObject({
          acting: { commanded: 1, succeeded: 0, denied: 1 },
          confirming: { requested: 1 },
        })
        yield* Fiber.join(denied)
      }).pipe(Effect.provide(layer))
    }),
  )
})
