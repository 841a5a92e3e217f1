import { Effect } from "effect"
import { expect } from "vitest"
import * as Chain from "../Chain.ts"
import * as EventLog from "../EventLog.ts"
import { note, readAll, type Test } from "./given.ts"

/** What the chain and its verification promise. */
export const verifying = (test: Test): void => {
  test(
    "each hash follows from the one before",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append({ ...note("a", ["one"]), taskId: "t" })
      yield* log.append(note("b", ["two"]))
      let previous = Chain.GENESIS
      for (const event of yield* readAll(log)) {
        const expected = Chain.link(previous, event, JSON.stringify(event.payload))
        expect(event.hash).toBe(expected)
        previous = event.hash
      }
    }),
  )
}
