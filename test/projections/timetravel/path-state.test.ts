import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TimeTravel } from "../../../src/projections/timetravel/TimeTravel.ts"
import { arbitraryEvents } from "../arbitraryEvents.ts"
import { onLog } from "../onLog.ts"
import { appendAll, pathsOf, statesOf, valuesAt } from "./naive.ts"

describe("the state at a path", () => {
  it("is the part of the whole state, whichever events were read for it", () =>
    fc.assert(
      fc.asyncProperty(arbitraryEvents(20), (given) =>
        Effect.gen(function* () {
          const events = yield* appendAll(given)
          const states = statesOf(events)
          const { stateAt } = yield* TimeTravel
          const paths = [...new Set(states.flatMap((state) => pathsOf(state)))]
          for (const path of paths) {
            const values = valuesAt(states, path)
            for (const [at, value] of values.entries()) {
              const found = yield* Effect.either(stateAt(`@${at}`, path))
              if (value === undefined) expect(found).toMatchObject({ left: { _tag: "PathNotFound" } })
              else expect(found).toMatchObject({ right: value })
            }
          }
        }).pipe(onLog, Effect.runPromise),
      ),
      { numRuns: 25 },
    ))
})
