import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import type { DecidingAgent } from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Sample } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** One process for each task. Its world is in it. */
const painter: Sample = {
  name: "painter",
  environment: true,
  sensors: [{ name: "wall" }],
  actuators: [{ name: "paint" }],
  entry: `
    let wall = "white"
    export default {
      sensors: { wall: () => wall },
      actuators: { paint: () => { wall = "red"; return wall } },
      environment: { reset: () => { wall = "white" }, state: () => ({ wall }) },
    }`,
  precomputed: { text: "a table", prints: "computing" },
}

const paints: DecidingAgent = {
  name: "painting",
  version: "1",
  decide: ({ step }) => (step === 0 ? { act: "painter/paint" } : { done: "achieved" }),
}

/** What is on record of the runs of `precomputed` modules: each event's type, task and timeline. */
const recorded = Effect.gen(function* () {
  const found = yield* (yield* EventLog).readPage({ types: ["PrecomputeStarted", "PluginLogged"] }, 100)
  return found.map(({ type, taskId, timeline }) => [type, taskId, timeline])
})

const ONE_RUN = [
  ["PrecomputeStarted", null, MAIN],
  ["PluginLogged", null, MAIN],
]

describe("the run of a plugin's `precomputed` module", () => {
  it.scopedLive("is recorded for no task and on `main`, whichever task or fork the plugin is started for", () =>
    Effect.gen(function* () {
      const { log, layer } = yield* testKernel({ plugins: [painter] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(paints, { goal: "Paint" })
        expect(yield* recorded).toEqual(ONE_RUN)

        const cache = path.join(`${log}.plugins`, "painter.deno")
        for (const name of fs.readdirSync(cache)) {
          if (name.startsWith("precomputed-")) fs.rmSync(path.join(cache, name))
        }
        const decisions = yield* (yield* EventLog).readPage({ taskId, types: ["DecisionMade"] }, 1)
        const { audit } = yield* kernel.fork(paints, { at: decisions[0]?.position ?? 0 })
        expect(audit.outcome).toBe("achieved")
        expect(yield* recorded).toEqual([...ONE_RUN, ...ONE_RUN])
      }).pipe(Effect.provide(layer))
    }),
  )
})
