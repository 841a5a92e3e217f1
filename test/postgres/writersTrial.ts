/** Trial T13: many writers of several processes on one log, whose order a follower sees without gap or repeat. */
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { open } from "./backend.ts"
import { schema, urlOf } from "./server.ts"

/** Runs the processes at once, each with its writers, and asserts what one order means. */
export const writeAtOnce = (processes: number, writers: number, events: number) =>
  Effect.gen(function* () {
    const name = yield* schema
    const log = yield* Effect.promise(() => urlOf(name))
    const total = processes * writers * events
    yield* Effect.gen(function* () {
      const seen = yield* Effect.fork(
        Effect.flatMap(EventLog, (one) =>
          one.follow({}).pipe(
            Stream.filter((item): item is Event => "type" in item),
            Stream.take(total),
            Stream.runCollect,
          ),
        ),
      )
      const started = yield* Effect.forEach(Array.from({ length: processes }), (_, index) =>
        Killable.start([program(import.meta.url, "writers")], {
          input: JSON.stringify({ log, name: `p${index}`, writers, events }),
        }),
      )
      for (const { ended } of started) expect(yield* ended).toMatchObject({ code: 0, stderr: "" })
      const followed = [...(yield* seen)]
      expect(followed.map(({ position }) => position)).toEqual(Array.from({ length: total }, (_, index) => index + 1))
      const byStream = new Map<string, Array<unknown>>()
      for (const { stream, payload } of followed) byStream.set(stream, [...(byStream.get(stream) ?? []), payload.text])
      expect(byStream.size).toBe(processes * writers)
      const inOrder = Array.from({ length: events }, (_, index) => `${index}`)
      for (const texts of byStream.values()) expect(texts).toEqual(inOrder)
      expect(yield* (yield* EventLog).verify).toMatchObject({ _tag: "Intact", events: total })
    }).pipe(Effect.provide(open(name)))
  }).pipe(Effect.scoped)
