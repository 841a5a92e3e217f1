import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { describe } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { interleave } from "../../src/events/testing/interleaving.ts"
import { temporaryDirectory } from "../temporary.ts"

/** One writer alone is tried with every backend, by the conformance suite. */
describe("three writers that have one file open", () => {
  it.scopedLive(
    "append in any interleaving: all is gapless, every answer says how it was, and who follows sees each event once",
    () =>
      Effect.gen(function* () {
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const writer = Effect.map(Layer.build(Layer.fresh(layerSqlite({ filename }))), Context.get(EventLog))
        yield* interleave(yield* Effect.all([writer, writer, writer]), 25)
      }),
  )
})
