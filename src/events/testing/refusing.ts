import { Effect } from "effect"
import { expect } from "vitest"
import * as EventLog from "../EventLog.ts"
import { note, type Test } from "./given.ts"

/** What a log refuses. */
export const refusing = (test: Test): void => {
  test(
    "what is not an event of the vocabulary is refused, with the path of the offender, and nothing is written",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const refusal = (type: string, payload: unknown) =>
        Effect.map(
          Effect.flip(
            // The payload is wrong on purpose: callers without types get here too.
            log.append({ stream: "a", actor: "human:test", events: [{ type, payload: payload as never }] }),
          ),
          (error) => error.message,
        )
      const reading = (value: unknown) => ({ sensor: "p/s", reading: value, priority: 0, latencyMs: 1 })
      expect(yield* refusal("SensorRead", reading({ deep: [1, Number.NaN] }))).toContain(
        "payload/reading/deep/1: expected JSON, found NaN",
      )
      expect(yield* refusal("SensorRead", reading(new Date(0)))).toContain("found an instance of Date")
      expect(yield* refusal("SensorRead", reading({ a: undefined }))).toContain(
        "/reading/a: expected JSON, found undefined",
      )
      expect(yield* refusal("SensorRead", reading(10n))).toContain("found a bigint")
      expect(yield* refusal("SensorRead", reading("\ud800"))).toContain("lone surrogate")
      const cycle: Record<string, unknown> = {}
      cycle.self = cycle
      expect(yield* refusal("SensorRead", reading(cycle))).toContain("a cycle")
      expect(yield* refusal("SensorRead", { sensor: "p/s", reading: 1, priority: "high" })).toMatch(
        /payload\/priority: .*; payload\/latencyMs: is missing/,
      )
      expect(yield* refusal("SensorRed", {})).toContain('"SensorRed" is not in this log\'s vocabulary')
      const empty = yield* Effect.flip(log.append({ stream: "a", actor: "human:test", events: [] }))
      expect(empty.message).toContain("expected at least one event, found none")
      const nameless = yield* Effect.flip(log.append(note("", ["x"])))
      expect(nameless.message).toContain('stream: expected a name, found ""')
      expect((yield* log.head).position).toBe(0)
    }),
  )
}
