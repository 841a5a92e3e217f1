import * as path from "node:path"
import { it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { EventLog, type NewEvent } from "../../src/events/log/EventLog.ts"
import * as SnapshotUpkeep from "../../src/kernel/SnapshotUpkeep.ts"
import { yieldToEventLoop } from "../../src/platform/yieldToEventLoop.ts"
import { FoldWatch, type Watch } from "../../src/projections/projector/FoldWatch.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as Unfinished from "../../src/projections/unfinished/Unfinished.ts"
import { temporaryDirectory } from "../temporary.ts"

const notes = (count: number) =>
  Effect.flatMap(EventLog, ({ append }) =>
    append({
      stream: "notes",
      actor: "test",
      events: Array.from({ length: count }, (): NewEvent => ({ type: "NoteAdded", payload: { about: "", text: "n" } })),
    }),
  )

const snapshotAt = Effect.flatMap(Projector.Projector, (projector) => projector.snapshotAt(Unfinished.projection))

const until = (position: number) =>
  Effect.repeat(Effect.zipRight(yieldToEventLoop, snapshotAt), { until: (found) => found >= position })

describe("the snapshots of a log that a kernel works on", () => {
  it.scopedLive("follow its head, so that a reader has few events to fold", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const layer = Projector.layerSharing(Unfinished.projection).pipe(Layer.provideMerge(layerSqlite({ filename })))
      yield* Effect.gen(function* () {
        yield* SnapshotUpkeep.start(Duration.millis(1))
        yield* notes(9_999)
        yield* notes(2)
        expect(yield* until(10_001)).toBe(10_001)
        yield* notes(9_998)
        yield* notes(3)
        expect(yield* until(20_002)).toBe(20_002)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("are stored by the kernel that has the duty, and by another one once it has it", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const layer = Projector.layerSharing(Unfinished.projection).pipe(Layer.provideMerge(layerSqlite({ filename })))
      let asked = 0
      let isOnDuty = false
      const duty = Effect.sync(() => {
        asked += 1
        return isOnDuty
      })
      yield* Effect.gen(function* () {
        for (const count of [9_000, 9_000]) yield* notes(count)
        yield* SnapshotUpkeep.start(Duration.millis(1), duty)
        // It asks again and again, and stores nothing.
        yield* Effect.repeat(yieldToEventLoop, { until: () => asked > 3 })
        expect(yield* snapshotAt).toBe(0)
        isOnDuty = true
        expect(yield* until(18_000)).toBe(18_000)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("are folded without a progress line, however long that takes", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const layer = Projector.layerSharing(Unfinished.projection).pipe(Layer.provideMerge(layerSqlite({ filename })))
      let watched = 0
      const watch: Watch = (fold) =>
        Effect.suspend(() => fold(() => Effect.void)).pipe(Effect.tap(() => void watched++))
      yield* Effect.gen(function* () {
        for (const count of [9_000, 9_000, 9_000]) yield* notes(count)
        yield* Effect.provideService(SnapshotUpkeep.start(Duration.millis(1)), FoldWatch, watch)
        expect(yield* until(27_000)).toBe(27_000)
        expect(watched).toBe(0)
      }).pipe(Effect.provide(layer))
    }),
  )
})
