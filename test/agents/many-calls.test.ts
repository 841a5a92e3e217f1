import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, VersionConflict } from "../../src/events/log/EventLog.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { agentOf, counting } from "../kernel/resume/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, model, text } from "./given.ts"

/** A log that counts the events that conflicts bring. */
const counted = () => {
  const read = { missed: 0 }
  const between = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      append: (request) =>
        Effect.tapError(log.append(request), (error) =>
          Effect.sync(() => {
            if (error instanceof VersionConflict) read.missed += error.missed.length
          }),
        ),
    })),
  )
  return { read, between }
}

const CALLS = 60

describe("an answer of many calls", () => {
  it.scopedLive("is carried out without reading for each command what its kernel recorded of the others", () =>
    Effect.gen(function* () {
      const { read, between } = counted()
      const { run } = yield* (yield* testKernel({ tools: counting().tools, between })).start
      const many = Array.from({ length: CALLS }, (_, at) => call(`c${at}`, "program__look", { at }))
      const thinking = agentOf(model([many, [text("Done.")]]).model)
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(thinking, { goal: "look" })))
      expect(audit.acting).toMatchObject({ commanded: CALLS, succeeded: CALLS })
      expect(read.missed).toBeLessThan(4 * CALLS)
    }),
  )
})
