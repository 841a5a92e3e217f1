import assert from "node:assert/strict"
import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Annotations from "../../src/projections/annotations/Annotations.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { combine, fold, type Projection } from "../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as PendingConfirmations from "../../src/projections/state/PendingConfirmations.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as Processes from "../../src/projections/state/Processes.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { findNonJson } from "../../src/values/Json.ts"
import { arbitraryEvents } from "./arbitraryEvents.ts"
import { deepFreeze, place, unknownEvent } from "./given.ts"

/** What holds of every projection, over any sequence of events. */
const laws = <S>(name: string, projection: Projection<S>) =>
  describe(name, () => {
    it("folds in two parts as it folds at once", () => {
      fc.assert(
        fc.property(arbitraryEvents(), fc.nat(30), (unplaced, cut) => {
          const events = place(unplaced)
          const first = fold(projection, events.slice(0, cut))
          assert.deepStrictEqual(fold(projection, events.slice(cut), first), fold(projection, events))
        }),
      )
    })

    it("folds a batch as it folds one event after another", () => {
      fc.assert(
        fc.property(arbitraryEvents(), fc.nat(30), (unplaced, cut) => {
          const events = place(unplaced)
          const oneByOne = (from: S, some: typeof events) => some.reduce(projection.evolve, from)
          const first = deepFreeze(oneByOne(projection.initial, events.slice(0, cut)))
          assert.deepStrictEqual(fold(projection, events.slice(cut), first), oneByOne(first, events.slice(cut)))
        }),
      )
    })

    it("neither throws nor changes its input, and its states are of its schema, plain JSON throughout", () => {
      const isState = Schema.is(projection.state)
      fc.assert(
        fc.property(arbitraryEvents(), (unplaced) => {
          let state = deepFreeze(projection.initial)
          for (const event of place(unplaced)) state = deepFreeze(projection.evolve(state, event))
          expect(isState(state)).toBe(true)
          expect(findNonJson(state)).toBeUndefined()
        }),
      )
    })

    it("skips an event of an unknown type", () => {
      fc.assert(
        fc.property(arbitraryEvents(), (unplaced) => {
          const state = fold(projection, place(unplaced))
          expect(fold(projection, place([unknownEvent()]), state)).toBe(state)
        }),
      )
    })
  })

laws("EnvironmentState", EnvironmentState.projection)
laws("Processes", Processes.projection)
laws("PluginRegistry", PluginRegistry.projection)
laws("PendingConfirmations", PendingConfirmations.projection)
laws("Tasks", Tasks.projection)
laws("ScoreSets", ScoreSets.projection)
laws("Annotations", Annotations.projection)
laws("TaskAudit", TaskAudit.projection("1"))
laws("a combination", combine({ tasks: Tasks.projection, state: EnvironmentState.projection }))

describe("a combination", () => {
  it("holds the state of each of its parts", () => {
    const both = combine({ tasks: Tasks.projection, sets: ScoreSets.projection })
    fc.assert(
      fc.property(arbitraryEvents(), (unplaced) => {
        const events = place(unplaced)
        assert.deepStrictEqual(fold(both, events), {
          tasks: fold(Tasks.projection, events),
          sets: fold(ScoreSets.projection, events),
        })
      }),
    )
  })
})
