import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as VouchedCode from "../../src/kernel/registry/VouchedCode.ts"
import * as Capabilities from "../../src/kernel/tasks/Capabilities.ts"
import { about, events, type Sample, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** Says of itself that it does no harm, and may write. */
const pen = (permissions: Sample["permissions"]): Sample => ({
  name: "pen",
  actuators: [{ name: "write", risk: "none" }],
  ...(permissions === undefined ? {} : { permissions }),
  entry: `export default { actuators: { write: () => "written" } }`,
})

const answering = (approved: boolean) =>
  Effect.gen(function* () {
    const { payload } = yield* seen(about("ConfirmationRequested"))
    const confirmations = yield* Confirmations
    yield* confirmations.decide(String(payload.confirmationId), { approved, by: "ada", channel: "program" })
  })

describe("an actuator that declares no risk, of a plugin that may write", () => {
  it.scopedLive("is asked about by the gate where nobody configured one, with why", () =>
    Effect.gen(function* () {
      const { layer, directory } = yield* testKernel({ plugins: [pen({ write: ["."] })], gate: Gate.standard })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "write" })
        yield* Effect.fork(answering(true))
        expect(yield* task.act("pen/write")).toMatchObject({ status: "succeeded", result: "written" })
        const [asked] = yield* events("ConfirmationRequested")
        expect(asked?.payload.shown).toMatchObject({
          actuator: "pen/write",
          args: {},
          risk: "medium",
          declared: "none",
          because: `its plugin may write ${directory}`,
          plugin: "pen 1.0.0",
          pluginDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        })
        const offered = Capabilities.offered(yield* kernel.plugins.state, () => true)
        expect(offered.actuators).toMatchObject([
          {
            name: "pen/write",
            risk: "none",
            effectiveRisk: "medium",
            riskBecause: [`its plugin may write ${directory}`],
          },
        ])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("passes where its plugin was granted nothing, and is denied by a rule about what it counts as", () =>
    Effect.gen(function* () {
      const gate = {
        rules: [{ name: "no-writers", risk: ["medium", "high"], decision: "deny" }],
        default: "allow",
      } as const
      for (const [permissions, outcome] of [
        [{}, { status: "succeeded" }],
        [
          { write: ["."] },
          {
            status: "denied",
            rule: "no-writers",
            reason: expect.stringContaining("its risk counts as medium: its plugin"),
          },
        ],
        [{ run: ["git"] }, { status: "denied", reason: expect.stringContaining("high: its plugin may run git") }],
      ] as const) {
        const { layer } = yield* testKernel({ plugins: [pen(permissions)], gate })
        const acting = Effect.flatMap(Kernel, (kernel) =>
          Effect.flatMap(kernel.tasks.open({ goal: "write" }), (task) => task.act("pen/write")),
        )
        expect(yield* Effect.provide(acting, layer)).toMatchObject(outcome)
      }
    }),
  )

  it.scopedLive("is not dispatched on an approval of less than its plugin may do by then", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [pen({ write: ["."] })], gate: Gate.standard })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "write" })
        const acting = yield* Effect.fork(task.act("pen/write"))
        yield* seen(about("ConfirmationRequested"))
        const found = (yield* kernel.plugins.state).pen
        if (found === undefined) return yield* Effect.dieMessage("no pen")
        const log = yield* EventLog
        yield* VouchedCode.vouch(log, [
          { plugin: "pen", digest: found.digest, grants: { ...found.grants, runAny: true } },
        ])
        yield* log.append({
          stream: "plugin/pen",
          actor: "human:ada",
          events: [
            {
              type: "PluginGranted",
              payload: { plugin: "pen", given: { runAny: true }, grants: { ...found.grants, runAny: true } },
            },
          ],
        })
        yield* answering(true)
        expect(yield* Fiber.join(acting)).toMatchObject({
          status: "denied",
          rule: "effective-risk",
          reason: expect.stringContaining("none → high: its plugin may run any command"),
        })
        expect(yield* events("CommandDispatched")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )
})
