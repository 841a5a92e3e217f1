import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { layerMemory } from "../../src/events/index.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Snapshots } from "../../src/events/log/Snapshots.ts"
import { eventType } from "../../src/events/vocabulary/EventType.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import * as Annotations from "../../src/projections/annotations/Annotations.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { applyAll, begin, combine, fold, type Projection } from "../../src/projections/fold/Projection.ts"
import * as Fingerprint from "../../src/projections/projector/Fingerprint.ts"
import * as PagedFold from "../../src/projections/projector/PagedFold.ts"
import * as SnapshotStrategy from "../../src/projections/projector/SnapshotStrategy.ts"
import * as StateChunks from "../../src/projections/projector/StateChunks.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as PendingConfirmations from "../../src/projections/state/PendingConfirmations.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { arbitraryEvents, json } from "./arbitraryEvents.ts"
import { append } from "./onLog.ts"

const vocabulary = Vocabulary.extend(Vocabulary.core, [
  eventType("acme/Unheard", "A type that no fold here knows.", { a: Schema.Number }),
])

/** Runs on a new log in memory. */
const onMemory = <A, E>(body: Effect.Effect<A, E, EventLog | Snapshots>) =>
  Effect.provide(body, layerMemory({ vocabulary }))

/** Snapshots wherever a fold stops to tell. */
const everywhere: SnapshotStrategy.SnapshotPolicy = { minEvents: 1, perByteStored: 0, perByteWritten: 0 }

const snapshotAndTail = <S>(name: string, projection: Projection<S>) =>
  it.live(name, () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitraryEvents(20), fc.uniqueArray(fc.integer({ min: 1, max: 20 })), (unplaced, stops) =>
          Effect.runPromise(
            onMemory(
              Effect.gen(function* () {
                const events = yield* append(unplaced)
                const stored = stops.filter((position) => position <= events.length).sort((a, b) => a - b)
                yield* Effect.scoped(lay(projection, stored))
                // Another process finds them.
                const strategy = (yield* strategies)(projection)
                for (let at = 0; at <= events.length; at++) {
                  const found = Option.getOrElse(yield* strategy.nearest({ after: 0, until: at, epoch: "" }), () => ({
                    position: 0,
                    state: projection.initial,
                  }))
                  expect(found.position).toBe(stored.findLast((position) => position <= at) ?? 0)
                  const state = fold(projection, events.slice(found.position, at), found.state)
                  assert.deepStrictEqual(state, fold(projection, events.slice(0, at)))
                }
              }).pipe(Effect.scoped),
            ),
          ),
        ),
        { numRuns: 30 },
      ),
    ),
  )

const strategies = Effect.gen(function* () {
  return yield* SnapshotStrategy.makeAll(yield* EventLog, yield* Snapshots, { policy: everywhere })
})

/** Folds a log and stops at these positions. */
const lay = <S>(projection: Projection<S>, stored: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const strategy = (yield* strategies)(projection)
    const climb = SnapshotStrategy.start("")
    const draft = begin(projection, projection.initial)
    let position = 0
    for (const until of stored) {
      const page = yield* log.readPage({ after: position, until }, 100)
      applyAll(projection, draft, page)
      position = until
      yield* strategy.onProgress(climb, {
        events: page.length,
        bytes: PagedFold.sizeOf(page),
        position,
        hash: page.at(-1)?.hash ?? "",
        chunked: () => draft.chunked?.() ?? draft.state(),
      })
    }
  })

describe("a snapshot and the events after it give the state of all events, for", () => {
  snapshotAndTail("EnvironmentState", EnvironmentState.projection)
  snapshotAndTail("PluginRegistry", PluginRegistry.projection)
  snapshotAndTail("PendingConfirmations", PendingConfirmations.projection)
  snapshotAndTail("Tasks", Tasks.projection)
  snapshotAndTail("ScoreSets", ScoreSets.projection)
  snapshotAndTail("Annotations", Annotations.projection)
  snapshotAndTail("TaskAudit", TaskAudit.projection("1"))
  snapshotAndTail("a combination", combine({ tasks: Tasks.projection, state: EnvironmentState.projection }))
})

describe("a state that is cut", () => {
  /** Records on both sides of what is wide, with keys that trip careless code. */
  const record = fc
    .tuple(
      fc.integer({ min: 0, max: 150 }),
      json.value,
      fc.uniqueArray(fc.constantFrom("__proto__", "a/b", "~", "", "7")),
    )
    .map(([width, value, odd]) =>
      Object.fromEntries([
        ...Array.from({ length: width }, (_, index) => [`key-${index}`, { value, index }] as const),
        ...odd.map((key) => [key, value] as const),
      ]),
    )
  const state = fc.oneof(
    record,
    json.value,
    fc.tuple(record, record, record).map(([a, b, c]) => ({ a, "b/~": { __proto__x: b, ["__proto__"]: { c } } })),
  )

  it("is joined again to the same", () => {
    fc.assert(
      fc.property(state, (state) => {
        const { skeleton, wide } = StateChunks.split(state)
        const texts = wide.map((record) => ({ path: record.path, texts: record.chunks.map(StateChunks.textOf) }))
        const joined = StateChunks.join(
          JSON.parse(JSON.stringify(skeleton)),
          texts.map(({ path, texts }) => ({ path, chunks: texts.map(StateChunks.entriesOf) })),
        )
        assert.deepStrictEqual(joined, state)
        assert.deepStrictEqual(JSON.stringify(joined), JSON.stringify(state))
      }),
    )
  })
})

describe("a fingerprint", () => {
  const of = <S>(projection: Projection<S>, reading = "") => Fingerprint.of(projection, reading)
  const tasks = Tasks.projection

  it("is another one for another name, version, schema of states or version of events, and only then", () => {
    const same = of(tasks)
    expect(of({ ...tasks, evolve: (state) => state })).toBe(same)
    const others = [
      of({ ...tasks, name: "Other" }),
      of({ ...tasks, version: tasks.version + 1 }),
      of({ ...ScoreSets.projection, name: tasks.name, version: tasks.version }),
      of(tasks, "acme/OrderPlaced@2"),
    ]
    expect(new Set([same, ...others]).size).toBe(5)
  })
})
