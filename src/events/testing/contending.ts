/** Conformance tests of contention: stream versions, fences, and fairness between fibers. */

import { Effect } from "effect"
import { expect } from "vitest"
import * as EventLog from "../log/EventLog.ts"
import { note, readAll, type Test, textOf } from "./given.ts"

/** Fibers that contend for one stream, and appends by each. */
const FIBERS = 64
const TURNS = 4

export const contending = (test: Test): void => {
  test(
    "a stream's version is that of its last event, separately in each timeline",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      expect(yield* log.versionOf("a")).toBe(0)
      yield* log.append(note("a", ["one", "two"]))
      yield* log.append(note("b", ["three"]))
      yield* log.append({ ...note("a", ["elsewhere"]), timeline: "other" })
      expect([yield* log.versionOf("a"), yield* log.versionOf("a", "other"), yield* log.versionOf("b")]).toEqual([
        2, 1, 1,
      ])
    }),
  )

  test(
    "an append with a fence is accepted only while the fence's stream has the version that it names",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("kernel", ["began"]))
      const fence = { stream: "kernel", version: 1 }
      yield* log.append({ ...note("a", ["fenced"]), fence })
      yield* log.append({ ...note("a", ["on another timeline"]), timeline: "other", fence })
      const [before, taken, after, free] = yield* Effect.all(
        [
          Effect.either(log.append({ ...note("a", ["before"]), fence })),
          Effect.either(log.append({ ...note("kernel", ["began again"]), expected: EventLog.Exact(1), fence })),
          Effect.either(log.append({ ...note("a", ["after"]), expected: EventLog.Exact(99), fence })),
          Effect.either(log.append(note("a", ["without a fence"]))),
        ],
        { concurrency: "unbounded" },
      )
      expect([before._tag, taken._tag, after._tag, free._tag]).toEqual(["Right", "Right", "Left", "Right"])
      // A broken fence is reported before any other conflict.
      const refused = after._tag === "Left" ? after.left : undefined
      expect(refused).toMatchObject({ _tag: "VersionConflict", stream: "kernel", actual: 2 })
      expect(refused?._tag === "VersionConflict" && refused.missed.map(textOf)).toEqual(["began again"])
      const late = yield* Effect.flip(log.append({ ...note("new", ["late"]), expected: EventLog.NoStream, fence }))
      expect(late).toMatchObject({ _tag: "VersionConflict", stream: "kernel" })
      expect((yield* readAll(log)).map(textOf)).toEqual([
        ...["began", "fenced", "on another timeline", "before", "began again", "without a fence"],
      ])
    }),
  )

  test(
    "a fence without a stream or a version is refused",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      for (const [fence, reason] of [
        [{ stream: "", version: 1 }, 'fence/stream: expected a name, found ""'],
        [{ timeline: "", stream: "kernel", version: 1 }, 'fence/timeline: expected a name, found ""'],
        [{ stream: "kernel", version: -1 }, "fence/version: expected a stream's version (0, 1, 2 …), found -1"],
        [{ stream: "kernel", version: 1.5 }, "fence/version: expected a stream's version (0, 1, 2 …), found 1.5"],
        [
          { stream: "kernel", version: Number.NaN },
          "fence/version: expected a stream's version (0, 1, 2 …), found NaN",
        ],
      ] as const) {
        expect(yield* Effect.flip(log.append({ ...note("a", ["x"]), fence }))).toMatchObject({
          _tag: "InvalidEvent",
          index: null,
          reason,
        })
      }
      expect((yield* log.head).position).toBe(0)
    }),
  )

  test(
    "of fibers that contend for a stream, each has its turn before any is ahead of it a third time",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const append = (fiber: number, version: number): Effect.Effect<number, EventLog.AppendError> =>
        log.append({ ...note("contested", [String(fiber)]), expected: EventLog.Exact(version) }).pipe(
          Effect.map((appended) => appended.version),
          Effect.catchTag("VersionConflict", ({ actual }) => append(fiber, actual)),
        )
      const contend = (fiber: number) =>
        Effect.iterate(
          { turn: 0, version: 0 },
          {
            while: ({ turn }) => turn < TURNS,
            body: ({ turn, version }) => Effect.map(append(fiber, version), (version) => ({ turn: turn + 1, version })),
          },
        )
      yield* Effect.forEach(
        Array.from({ length: FIBERS }, (_, fiber) => fiber),
        contend,
        { concurrency: "unbounded", discard: true },
      )
      const turns = (yield* readAll(log)).map((event) => Number(textOf(event)))
      expect(turns).toHaveLength(FIBERS * TURNS)
      expect(Math.max(...turns.map((_, index) => mostOvertaking(turns, index)))).toBeLessThanOrEqual(2)
    }),
    60_000,
  )
}

/** How often any other fiber appended between two appends of this one. */
const mostOvertaking = (turns: ReadonlyArray<number>, index: number): number => {
  const before = turns.slice(0, index).lastIndexOf(turns[index] ?? -1)
  const others = new Map<number, number>()
  for (const other of turns.slice(before + 1, index)) others.set(other, (others.get(other) ?? 0) + 1)
  return Math.max(0, ...others.values())
}
