import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as LongFolds from "../../src/cli/terminal/LongFolds.ts"
import { layerMemory } from "../../src/events/index.ts"
import { EventLog, type NewEvent } from "../../src/events/log/EventLog.ts"
import { FoldWatch } from "../../src/projections/projector/FoldWatch.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"

const fill = (count: number) =>
  Effect.flatMap(EventLog, ({ append }) =>
    Effect.forEach(Array.from({ length: count / 10_000 }), () =>
      append({
        stream: "notes",
        actor: "test",
        events: Array.from(
          { length: 10_000 },
          (): NewEvent => ({ type: "NoteAdded", payload: { about: "", text: "" } }),
        ),
      }),
    ),
  )

/** What a command that folds so many events twice writes on its terminal. */
const written = (events: number, line: LongFolds.CommandLine, isTTY = true) => {
  const texts: Array<string> = []
  const watch = LongFolds.watch(line, { isTTY, columns: 80, write: (text) => texts.push(text) })
  const fold = Effect.flatMap(Projector.Projector, (projector) => projector.stateAt(Tasks.projection, events))
  return Effect.gen(function* () {
    yield* fill(events)
    yield* Effect.provideService(Effect.zipRight(fold, fold), FoldWatch, watch)
    return texts
  }).pipe(
    Effect.provide(Projector.layerWith({ checks: false, snapshots: false })),
    Effect.provide(layerMemory()),
    Effect.runPromise,
  )
}

const reading = { path: ["state"], json: false }

describe("a long fold", () => {
  it("shows its progress, and says once how such questions become quick", async () => {
    const texts = await written(110_000, reading)
    expect(texts.join("")).toMatch(/read [\d,]+ of 110,000 events/)
    const advice = texts.filter((text) => text.includes("hindcast log snapshot"))
    expect(advice).toEqual([
      expect.stringMatching(/^Read \d+ events\. `hindcast log snapshot` makes such questions fast/),
    ])
  })

  it("gives no advice to a command that stores snapshots itself, nor of a shorter log", async () => {
    for (const texts of [await written(110_000, { path: ["run"], json: false }), await written(30_000, reading)]) {
      expect(texts.join("")).toContain("read ")
      expect(texts.join("")).not.toContain("snapshot")
    }
  })

  it("writes nothing of a short log, with --json, or where there is no terminal", async () => {
    expect(await written(10_000, reading)).toEqual([])
    expect(await written(30_000, { ...reading, json: true })).toEqual([])
    expect(await written(30_000, reading, false)).toEqual([])
  })
})
